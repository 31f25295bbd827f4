// /{waba-id} and its edges: subscribed_apps and phone_numbers.
import type { FastifyInstance } from 'fastify'
import type { AccountAccess } from './access.ts'
import { readOverride } from './callback-override.ts'
import { type Fields, selectFields } from './fields.ts'
import type { Graph } from './graph.ts'
import { manageAccount } from './management.ts'
import { describeNumber } from './numbers.ts'
import { pageOf } from './paging.ts'
import { paramsOf } from './request-body.ts'
import { versioned } from './versions.ts'

interface AccountRoute {
  Params: { version: string; wabaId: string }
}

export function mountAccounts(app: FastifyInstance, graph: Graph): void {
  const subscriptions = `${versioned}/:wabaId/subscribed_apps`

  app.post<AccountRoute>(subscriptions, async (request, reply) => {
    const { account, token } = manageAccount(graph, request, reply, request.params.wabaId)
    // An empty body takes an override back.
    account.subscriptions.set(token.app_id, await readOverride(graph, paramsOf(request)))
    return { success: true }
  })

  app.get<AccountRoute>(subscriptions, async (request, reply) => {
    const { account } = manageAccount(graph, request, reply, request.params.wabaId)
    const { apps } = graph.access().business
    return {
      data: [...account.subscriptions].map(([id, override]) => ({
        whatsapp_business_api_data: {
          id,
          link: `https://www.facebook.com/games/?app_id=${id}`,
          name: apps.find(id)?.name ?? 'Another provider',
        },
        ...(override === null ? {} : { override_callback_uri: override.override_callback_uri }),
      })),
    }
  })

  app.delete<AccountRoute>(subscriptions, async (request, reply) => {
    const { account, token } = manageAccount(graph, request, reply, request.params.wabaId)
    account.subscriptions.delete(token.app_id)
    return { success: true }
  })

  app.get<AccountRoute>(`${versioned}/:wabaId/phone_numbers`, async (request, reply) => {
    const { account, token } = manageAccount(graph, request, reply, request.params.wabaId)
    const { numbers } = graph.access().business
    const params = paramsOf(request)
    const ours = numbers
      .all()
      .filter(({ waba_id }) => waba_id === account.waba_id)
      .map((number) => ({ id: number.phone_number_id, number }))
    const url = `${request.protocol}://${request.host}${request.url.split('?', 1)[0]}`
    const page = pageOf(ours, params, url)
    return {
      ...page,
      data: page.data.map(({ number }) => {
        const profile = numbers.profile(number.phone_number_id)
        return describeNumber(graph, { account, token, number, profile }, params.fields)
      }),
    }
  })
}

export function describeAccount(graph: Graph, { account }: AccountAccess, asked: unknown): Fields {
  const { business } = graph.access()
  const { waba_id: id, business_id } = account
  const owner = { name: `Portfolio ${business_id.slice(-4)}`, id: business_id }
  const hasTrouble = account.standing !== 'good'
  const all: Fields = {
    id,
    name: account.name,
    currency: account.currency,
    timezone_id: account.timezone_id,
    message_template_namespace: account.message_template_namespace,
    account_review_status: account.account_review_status,
    business_verification_status: account.business_verification_status,
    country: 'US',
    ownership_type: 'CLIENT_OWNED',
    owner_business_info: owner,
    on_behalf_of_business_info: { ...owner, status: 'APPROVED', type: 'SELF' },
    status: hasTrouble ? account.standing.toUpperCase() : 'ACTIVE',
    disable_marketing_messages_on_cloud_api: account.disable_marketing_messages_on_cloud_api,
    primary_funding_id: account.standing === 'payment_issue' ? undefined : '0',
    health_status: {
      can_send_message: hasTrouble ? 'BLOCKED' : 'AVAILABLE',
      entities: [
        { entity_type: 'WABA', id, can_send_message: hasTrouble ? 'BLOCKED' : 'AVAILABLE' },
        { entity_type: 'APP', id: business.apps.own().app_id, can_send_message: 'AVAILABLE' },
      ],
    },
  }
  const defaults = ['name', 'timezone_id', 'currency', 'message_template_namespace']
  return selectFields('WhatsAppBusinessAccount', all, defaults, asked)
}
