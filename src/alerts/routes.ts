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
import type { ErrorCode } from '../errors-table.ts'
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
      name: 'admin.tenants.alertChannels',
      base: '/api/admin/tenants/:id/alert-channels',
      access: 'operator',
      whose: 'a tenant’s',
      params: ofTenant,
      tenantIdOf: ({ params }) => (params as z.output<typeof ofTenant>).id,
    }),
    ...channelRoutes(manager, {
      name: 'admin.alertChannels',
      base: '/api/admin/alert-channels',
      access: 'operator',
      whose: 'the operator’s',
      params: z.object({}),
      tenantIdOf: () => null,
    }),
    ...channelRoutes(manager, {
      name: 'alertChannels',
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
  name: string
  base: string
  access: 'operator' | 'tenant'
  whose: string
  params: z.ZodObject
  tenantIdOf(call: Call<unknown, unknown, unknown>): string | null
}

function channelRoutes(manager: ChannelManager, place: Place): Route[] {
  const { name, base, access, whose, params, tenantIdOf } = place
  const errors: ErrorCode[] = 'id' in params.shape ? ['TENANT_NOT_FOUND'] : []
  const byOf = (call: Call<unknown, unknown, unknown>) => ({
    tenantId: tenantIdOf(call),
    actor: call.actor,
  })
  const ofChannel = params.extend({ channelId: z.string() })
  const idOf = (call: Call<unknown, unknown, unknown>) =>
    (call.params as { channelId: string }).channelId
  return [
    route({
      operationId: `${name}.create`,
      method: 'POST',
      path: base,
      summary: `Add one of ${whose} alert channels; a webhook’s secret is shown once`,
      access,
      params,
      body: newAlertChannel,
      answer: alertChannelWithSecret,
      status: 201,
      errors: [...errors, 'TOO_MANY_ALERT_CHANNELS'],
      handle: async (call) => {
        const { row, secret } = await createChannel(manager, byOf(call), call.body)
        return { ...showChannel(row), secret }
      },
    }),
    route({
      operationId: `${name}.list`,
      method: 'GET',
      path: base,
      summary: `List ${whose} alert channels, and how they fare`,
      access,
      params,
      query: listQuery,
      answer: listOf(alertChannel),
      errors: errors,
      handle: async (call) => {
        const owner = tenantIdOf(call)
        await expectTenant(manager.db, owner)
        return listChannels(manager, owner, call.query)
      },
    }),
    route({
      operationId: `${name}.delete`,
      method: 'DELETE',
      path: `${base}/:channelId`,
      summary: `Delete one of ${whose} alert channels, with what waits for it`,
      access,
      params: ofChannel,
      answer: z.null(),
      status: 204,
      errors: [...errors, 'ALERT_CHANNEL_NOT_FOUND', 'ALERT_CHANNEL_FROM_ENVIRONMENT'],
      handle: async (call) => {
        await removeChannel(manager, byOf(call), idOf(call))
        return null
      },
    }),
    route({
      operationId: `${name}.test`,
      method: 'POST',
      path: `${base}/:channelId/test`,
      summary: `Call one of ${whose} alert channels now, and say what it answered`,
      access,
      params: ofChannel,
      answer: testedAlertChannel,
      errors: [...errors, 'ALERT_CHANNEL_NOT_FOUND'],
      handle: (call) => testChannel(manager, byOf(call), idOf(call)),
    }),
  ]
}

function alertListRoutes(db: Db): Route[] {
  const placeOf = (row: AlertRow) => ({ at: row.fired_at, id: row.id })
  return [
    route({
      operationId: 'admin.alerts.list',
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
      operationId: 'alerts.list',
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
