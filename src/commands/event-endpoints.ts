// Event endpoints from the command line: the same acts as the API's, by the same code.

import { listQuery } from '../api/contract.ts'
import {
  deliveriesQuery,
  eventReplay,
  newEventEndpoint,
  secretRotation,
} from '../api/contract-events.ts'
import { listDeliveries, listEndpoints } from '../events/list.ts'
import {
  changeEndpoint,
  createEndpoint,
  type EndpointManager,
  type ReplayWish,
  removeEndpoint,
  replayEvents,
  rotateSecret,
  testEndpoint,
} from '../events/manage.ts'
import { showEndpoint } from '../events/show.ts'
import type { Runtime } from '../runtime.ts'
import {
  actor,
  type PageOptions,
  print,
  type TableOptions,
  tenantNamed,
  withRuntime,
} from './manage.ts'
import { withProgress } from './progress.ts'
import { readOptions } from './read-options.ts'
import { pageText, table } from './text.ts'

interface Work {
  manager: EndpointManager
  by: { tenantId: string; actor: string }
}

function forTenant(tenant: string, work: (work: Work) => Promise<void>): Promise<void> {
  return withRuntime(async (runtime: Runtime) => {
    const { db, config } = runtime
    const manager = {
      ...runtime,
      db: db.api,
      allowPrivateTargets: config.allowPrivateTargets,
    }
    await work({ manager, by: { tenantId: await tenantNamed(runtime, tenant), actor } })
  })
}

const listIn = (text: string | undefined) => text?.split(',').map((part) => part.trim())

export function endpointCreate(
  tenant: string,
  options: TableOptions & {
    url: string
    events?: string
    description?: string
    responderFor?: string
  },
): Promise<void> {
  const input = readOptions(newEventEndpoint, {
    url: options.url,
    events: listIn(options.events),
    description: options.description,
    responder_for: listIn(options.responderFor),
  })
  return forTenant(tenant, async ({ manager, by }) => {
    const { row, secret } = await createEndpoint(manager, by, input)
    const shown = { ...showEndpoint(row), secret }
    print(options, shown, `${secret}\nThis secret is shown once. The endpoint is ${shown.id}.`)
  })
}

export function endpointList(tenant: string, options: PageOptions): Promise<void> {
  const wish = readOptions(listQuery, { limit: options.limit, after: options.after })
  return forTenant(tenant, async ({ manager, by }) => {
    const page = await listEndpoints(manager.db, by.tenantId, wish)
    const rows = page.data.map((one) => [
      one.id,
      one.status,
      String(one.pending_count),
      one.url,
      [
        one.events.join(','),
        ...(one.failing_since === null ? [] : [`failing since ${one.failing_since}`]),
      ].join('  '),
    ])
    const none =
      'There are no event endpoints. Next: estafet event-endpoint create <tenant> --url …'
    const heads = ['ID', 'STATUS', 'WAITING', 'URL', 'EVENTS']
    print(options, page, rows.length === 0 ? none : pageText(table(heads, rows), page))
  })
}

export const endpointPause = (tenant: string, id: string, options: TableOptions) =>
  changeStatus('paused', tenant, id, options)

export const endpointResume = (tenant: string, id: string, options: TableOptions) =>
  changeStatus('active', tenant, id, options)

function changeStatus(
  status: 'active' | 'paused',
  tenant: string,
  id: string,
  options: TableOptions,
): Promise<void> {
  return forTenant(tenant, async ({ manager, by }) => {
    const row = await changeEndpoint(manager, by, id, { status })
    print(options, showEndpoint(row), `Endpoint ${id} is ${row.status}.`)
  })
}

export function endpointRotate(
  tenant: string,
  id: string,
  options: TableOptions & { overlapHours: string },
): Promise<void> {
  const { overlap_hours } = readOptions(secretRotation, { overlap_hours: options.overlapHours })
  return forTenant(tenant, async ({ manager, by }) => {
    const { row, secret } = await rotateSecret(manager, by, id, overlap_hours)
    const shown = { ...showEndpoint(row), secret }
    const until = shown.old_secret_until
    const old = until === null ? 'The old one is void.' : `The old one signs too until ${until}.`
    print(options, shown, `${secret}\nThis secret is shown once. ${old}`)
  })
}

export function endpointTest(tenant: string, id: string, options: TableOptions): Promise<void> {
  return forTenant(tenant, async ({ manager, by }) => {
    const event_id = await testEndpoint(manager, by, id)
    const next = `estafet event-endpoint deliveries ${tenant} ${id}`
    print(options, { event_id }, `Event ${event_id} is on its way. See: ${next}`)
  })
}

export function endpointDeliveries(
  tenant: string,
  id: string,
  options: TableOptions & { status?: string; limit: string; after?: string },
): Promise<void> {
  const wish = readOptions(deliveriesQuery, {
    limit: options.limit,
    after: options.after,
    status: options.status,
  })
  return forTenant(tenant, async ({ manager, by }) => {
    const page = await listDeliveries(manager.db, by.tenantId, id, wish)
    const lines = page.data.map((one) => {
      const trouble = one.last_error === null ? '' : `  ${one.last_error}`
      const next = one.next_attempt_at === null ? '' : `  next ${one.next_attempt_at}`
      return `${one.created_at}  ${one.event_id}  ${one.event_type}  ${one.status}  ${one.attempts} failed${trouble}${next}`
    })
    if (page.paging.next !== null) lines.push(`More: --after ${page.paging.next}`)
    print(options, page, lines.join('\n') || 'Nothing was to be delivered there yet.')
  })
}

export function endpointReplay(
  tenant: string,
  id: string,
  options: TableOptions & { from?: string; to?: string; eventIds?: string; onlyFailed?: boolean },
): Promise<void> {
  const range = readOptions(eventReplay, {
    from: options.from,
    to: options.to,
    event_ids: listIn(options.eventIds),
    only_failed: options.onlyFailed,
  })
  return forTenant(tenant, async ({ manager, by }) => {
    const replay = (wish: ReplayWish) => replayEvents(manager, by, id, wish, replayBatch)
    const replayed = await withProgress('Replaying', options, async ({ at }) => {
      const total = await toTheEnd((after) => replay({ ...range, after, dry_run: true }))
      at(0, total)
      return toTheEnd(
        (after) => replay({ ...range, after }),
        (done) => at(done, total),
      )
    })
    const whole = { replayed, has_more: false, next: null }
    print(options, whole, `${replayed} events are delivered again.`)
  })
}

/** So many at a time that who waits sees it move. */
const replayBatch = 1000

/** Call after call, until there are no more. Returns how many they were. */
async function toTheEnd(
  replay: (after: string | undefined) => ReturnType<typeof replayEvents>,
  onCall: (replayed: number) => void = () => undefined,
): Promise<number> {
  let replayed = 0
  let after: string | undefined
  for (;;) {
    const answer = await replay(after)
    replayed += answer.replayed
    onCall(replayed)
    if (answer.next === null) return replayed
    after = answer.next
  }
}

export function endpointDelete(tenant: string, id: string, options: TableOptions): Promise<void> {
  return forTenant(tenant, async ({ manager, by }) => {
    await removeEndpoint(manager, by, id)
    print(options, { deleted: id }, `Endpoint ${id} is gone, with what waited for it.`)
  })
}
