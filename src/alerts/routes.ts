// Alert channels of a tenant (for the operator and for itself) and of the operator; and what fires.
import { z } from 'zod'
import { listOf, listQuery, tenantId } from '../api/contract.ts'
import {
  alert,
  alertChannel,
  alertChannelWithSecret,
  alertsQuery,
  allAlertsQuery,
  newAlertChannel,
  testedAlertChannel,
} from '../api/contract-alerts.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Call, type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import {
  type ChannelManager,
  createChannel,
  expectTenant,
  listChannels,
  removeChannel,
  testChannel,
} from './channels.ts'
import { showAlert, showChannel } from './show.ts'
import { type AlertRow, selectAlerts } from './state-queries.ts'

export function alertRoutes(manager: ChannelManager): Route[] {
  const { db } = manager
  const ofTenant = z.object({ id: tenantId })
  return [
    ...channelRoutes(manager, {
      base: '/api/admin/tenants/:id/alert-channels',
      access: 'operator',
      whose: 'a tenant’s',
      params: ofTenant,
      tenantIdOf: ({ params }) => (params as z.output<typeof ofTenant>).id,
    }),
    ...channelRoutes(manager, {
      base: '/api/admin/alert-channels',
      access: 'operator',
      whose: 'the operator’s',
      params: z.object({}),
      tenantIdOf: () => null,
    }),
    ...channelRoutes(manager, {
      base: '/api/whatsapp/alert-channels',
      access: 'tenant',
      whose: 'your',
      params: z.object({}),
      tenantIdOf: (call) => call.tenantId,
    }),
    ...alertListRoutes(db),
  ]
}

interface Place {
  base: string
  access: 'operator' | 'tenant'
  whose: string
  params: z.ZodObject
  tenantIdOf(call: Call<unknown, unknown, unknown>): string | null
}

function channelRoutes(manager: ChannelManager, place: Place): Route[] {
  const { base, access, whose, params, tenantIdOf } = place
  const byOf = (call: Call<unknown, unknown, unknown>) => ({
    tenantId: tenantIdOf(call),
    actor: call.actor,
  })
  const ofChannel = params.extend({ channelId: z.string() })
  const idOf = (call: Call<unknown, unknown, unknown>) =>
    (call.params as { channelId: string }).channelId
  return [
    route({
      method: 'POST',
      path: base,
      summary: `Add one of ${whose} alert channels; a webhook’s secret is shown once`,
      access,
      params,
      body: newAlertChannel,
      answer: alertChannelWithSecret,
      status: 201,
      handle: async (call) => {
        const { row, secret } = await createChannel(manager, byOf(call), call.body)
        return { ...showChannel(row), secret }
      },
    }),
    route({
      method: 'GET',
      path: base,
      summary: `List ${whose} alert channels, and how they fare`,
      access,
      params,
      query: listQuery,
      answer: listOf(alertChannel),
      handle: async (call) => {
        const owner = tenantIdOf(call)
        await expectTenant(manager.db, owner)
        return listChannels(manager, owner, call.query)
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:channelId`,
      summary: `Delete one of ${whose} alert channels, with what waits for it`,
      access,
      params: ofChannel,
      answer: z.null(),
      status: 204,
      handle: async (call) => {
        await removeChannel(manager, byOf(call), idOf(call))
        return null
      },
    }),
    route({
      method: 'POST',
      path: `${base}/:channelId/test`,
      summary: `Call one of ${whose} alert channels now, and say what it answered`,
      access,
      params: ofChannel,
      answer: testedAlertChannel,
      handle: (call) => testChannel(manager, byOf(call), idOf(call)),
    }),
  ]
}

function alertListRoutes(db: Db): Route[] {
  const placeOf = (row: AlertRow) => ({ at: row.fired_at, id: row.id })
  return [
    route({
      method: 'GET',
      path: '/api/admin/whatsapp/alerts',
      summary: 'What is wrong, and what lately was, the latest first',
      access: 'operator',
      query: allAlertsQuery,
      answer: listOf(alert),
      handle: async ({ query: { tenant_id = null, state = null, after, limit } }) => {
        const wish = { tenantId: tenant_id, state, after: decodeCursor(after), limit: limit + 1 }
        return pageOf(await selectAlerts(db, wish), limit, placeOf, showAlert)
      },
    }),
    route({
      method: 'GET',
      path: '/api/whatsapp/alerts',
      summary: 'What is wrong with your accounts and messages, and what lately was',
      access: 'tenant',
      query: alertsQuery,
      answer: listOf(alert),
      handle: async ({ tenantId: owner, query: { state = null, after, limit } }) => {
        const wish = { tenantId: owner, state, after: decodeCursor(after), limit: limit + 1 }
        const rows = await db.tenantTransaction(owner, (tx) => selectAlerts(tx, wish))
        return pageOf(rows, limit, placeOf, showAlert)
      },
    }),
  ]
}
