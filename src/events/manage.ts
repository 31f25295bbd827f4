// What can be done with event endpoints; every act is in the audit. Locks: the audit chain, then the tenant's event queue,
// then the endpoint's row (settle.ts takes the last two in the same order).
import type { Vault } from '../accounts/vault.ts'
import { invalidCursor } from '../api/paging.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import { targetProblem } from '../net/guarded-agent.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import {
  countEndpoints,
  deleteEndpoint,
  type EndpointRow,
  forgetFailures,
  insertEndpoint,
  lockEventTenant,
  replaceSecret,
  selectEndpoints,
  selectOwnAccounts,
  setResponders,
  updateEndpoint,
} from './endpoint-queries.ts'
import {
  countReplayable,
  holdDeliveries,
  type Replayed,
  type ReplayRange,
  replayDeliveries,
} from './queue-queries.ts'
import { recordEvent } from './record.ts'
import { newSecret, secretOwner } from './sign.ts'

export interface EndpointManager {
  db: Db
  clock: Clock
  random: Random
  vault: Vault
  allowPrivateTargets: boolean
}

export interface By {
  tenantId: string
  actor: string
}

const maxEndpoints = 20
/** A call: a caller waits seconds for it, not minutes. */
const maxReplayed = 10_000

export interface NewEndpoint {
  url: string
  events: string[]
  description: string
  responder_for: string[]
}

export async function createEndpoint(
  manager: EndpointManager,
  { tenantId, actor }: By,
  input: NewEndpoint,
): Promise<{ row: EndpointRow; secret: string }> {
  checkUrl(manager, input.url)
  const { db, clock, random, vault } = manager
  const id = random.uuid()
  const secret = newSecret(random)
  const at = clock.now()
  return db.transaction(async (tx) => {
    const accounts = await ownAccounts(tx, tenantId, input.responder_for)
    await act(tx, { tenantId, actor, at }, 'event_endpoint.created', id, {
      host: new URL(input.url).host,
      events: input.events,
      responder_for: input.responder_for,
    })
    await lockEventTenant(tx, tenantId)
    if ((await countEndpoints(tx, tenantId)) >= maxEndpoints) {
      throw new AppError(
        'TOO_MANY_ENDPOINTS',
        409,
        `A tenant has at most ${maxEndpoints} event endpoints. Delete one first.`,
      )
    }
    await insertEndpoint(tx, {
      ...input,
      id,
      tenantId,
      sealedSecret: vault.seal(secret, secretOwner(tenantId, id)),
      createdAt: at,
    })
    await setResponders(tx, tenantId, id, accounts)
    return { row: await endpointOf(tx, tenantId, id), secret }
  })
}

export interface EndpointChange {
  url?: string | undefined
  events?: string[] | undefined
  description?: string | undefined
  status?: 'active' | 'paused' | undefined
  responder_for?: string[] | undefined
}

/** What is as wanted already is left alone, also in the audit. */
export async function changeEndpoint(
  manager: EndpointManager,
  { tenantId, actor }: By,
  publicEndpointId: string,
  change: EndpointChange,
): Promise<EndpointRow> {
  if (change.url !== undefined) checkUrl(manager, change.url)
  const at = manager.clock.now()
  return manager.db.transaction(async (tx) => {
    const before = await findEndpoint(tx, tenantId, publicEndpointId)
    const accounts =
      change.responder_for === undefined
        ? before.responder_for
        : await ownAccounts(tx, tenantId, change.responder_for)
    const after = {
      id: before.id,
      url: change.url ?? before.url,
      description: change.description ?? before.description,
      events: change.events ?? before.events,
      status: change.status ?? before.status,
      responder_for: [...accounts].sort(),
    }
    const changed = (['url', 'description', 'events', 'status', 'responder_for'] as const).filter(
      (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
    )
    if (changed.length === 0) return before
    await act(tx, { tenantId, actor, at }, 'event_endpoint.changed', before.id, {
      changed,
      ...(changed.includes('url') && { host: new URL(after.url).host }),
      ...(changed.includes('status') && { status: { from: before.status, to: after.status } }),
    })
    await lockEventTenant(tx, tenantId)
    // Only what was asked for: it may have been paused, or disabled by its failures, since it was read.
    const present = await updateEndpoint(tx, tenantId, before.id, change, at)
    if (!present) throw noEndpoint()
    if (changed.includes('responder_for')) {
      await setResponders(tx, tenantId, before.id, after.responder_for)
    }
    // Another address may be another story.
    if (change.status !== undefined || changed.includes('url')) {
      await forgetFailures(tx, tenantId, before.id)
      await holdDeliveries(tx, tenantId, before.id, present === 'active' ? 'resumed' : 'paused')
    }
    return endpointOf(tx, tenantId, before.id)
  })
}

export async function removeEndpoint(
  manager: EndpointManager,
  { tenantId, actor }: By,
  publicEndpointId: string,
): Promise<void> {
  await manager.db.transaction(async (tx) => {
    const { id, url } = await findEndpoint(tx, tenantId, publicEndpointId)
    const by = { tenantId, actor, at: manager.clock.now() }
    await act(tx, by, 'event_endpoint.deleted', id, { host: new URL(url).host })
    await lockEventTenant(tx, tenantId)
    if (!(await deleteEndpoint(tx, tenantId, id))) throw noEndpoint()
  })
}

export async function rotateSecret(
  manager: EndpointManager,
  { tenantId, actor }: By,
  publicEndpointId: string,
  overlapHours: number,
): Promise<{ row: EndpointRow; secret: string }> {
  const { db, clock, random, vault } = manager
  const secret = newSecret(random)
  const at = clock.now()
  const oldUntil = overlapHours > 0 ? new Date(at.getTime() + overlapHours * 3_600_000) : null
  return db.transaction(async (tx) => {
    const { id } = await findEndpoint(tx, tenantId, publicEndpointId)
    const details = { old_secret_until: oldUntil?.toISOString() ?? null }
    await act(tx, { tenantId, actor, at }, 'event_endpoint.secret_rotated', id, details)
    await lockEventTenant(tx, tenantId)
    const sealed = vault.seal(secret, secretOwner(tenantId, id))
    if (!(await replaceSecret(tx, tenantId, id, sealed, oldUntil, at))) throw noEndpoint()
    return { row: await endpointOf(tx, tenantId, id), secret }
  })
}

/** An event for this endpoint alone. Returns its id. */
export async function testEndpoint(
  manager: EndpointManager,
  { tenantId, actor }: By,
  publicEndpointId: string,
): Promise<string> {
  return manager.db.transaction(async (tx) => {
    const { id, status } = await findEndpoint(tx, tenantId, publicEndpointId)
    if (status !== 'active') throw notActive(status)
    const by = { tenantId, actor, at: manager.clock.now() }
    await act(tx, by, 'event_endpoint.tested', id, {})
    const eventId = await recordEvent(tx, {
      tenantId,
      type: 'event_endpoint.test',
      lane: id,
      data: { event_endpoint_id: publicId('ep', id) },
      onlyEndpoint: id,
    })
    return publicId('evt', eventId)
  })
}

/** As the API takes it. */
export interface ReplayWish {
  from?: string | undefined
  to?: string | undefined
  event_ids?: string[] | undefined
  only_failed: boolean
  dry_run: boolean
  /** `next` of the call before. */
  after?: string | undefined
}

export async function replayEvents(
  manager: EndpointManager,
  by: By,
  publicEndpointId: string,
  wish: ReplayWish,
  limit = maxReplayed,
) {
  const { count, last } = await replayRange(manager, by, publicEndpointId, wish, limit)
  const next = count === limit && last !== null ? encodePlace(last) : null
  return { replayed: count, has_more: next !== null, next }
}

async function replayRange(
  manager: EndpointManager,
  { tenantId, actor }: By,
  publicEndpointId: string,
  wish: ReplayWish,
  limit: number,
): Promise<Replayed> {
  const range: ReplayRange = {
    since: wish.from === undefined ? null : new Date(wish.from),
    until: wish.to === undefined ? null : new Date(wish.to),
    eventIds: wish.event_ids?.flatMap((id) => uuidOf('evt', id) ?? []) ?? null,
    onlyFailed: wish.only_failed,
    after: decodePlace(wish.after),
  }
  return manager.db.transaction(async (tx) => {
    const { id } = await findEndpoint(tx, tenantId, publicEndpointId)
    if (wish.dry_run) return countReplayable(tx, tenantId, id, range, limit)
    const by = { tenantId, actor, at: manager.clock.now() }
    await act(tx, by, 'event_endpoint.replayed', id, {
      from: range.since?.toISOString() ?? null,
      to: range.until?.toISOString() ?? null,
      event_ids: range.eventIds?.length ?? null,
      only_failed: range.onlyFailed,
    })
    return replayDeliveries(tx, tenantId, id, range, limit)
  })
}

/** The place of an event among its tenant's. */
function encodePlace(position: number): string {
  return Buffer.from(`place ${position}`).toString('base64url')
}

export function decodePlace(text: string | undefined): number | null {
  if (text === undefined) return null
  const decoded = Buffer.from(text, 'base64url').toString('utf8')
  const [, position] = /^place (\d{1,15})$/.exec(decoded) ?? []
  if (position === undefined) throw invalidCursor()
  return Number(position)
}

export async function findEndpoint(
  tx: Tx,
  tenantId: string,
  publicEndpointId: string,
): Promise<EndpointRow> {
  const id = uuidOf('ep', publicEndpointId)
  const [row] = id === undefined ? [] : await selectEndpoints(tx, tenantId, { id, limit: 1 })
  if (!row) throw noEndpoint()
  return row
}

async function endpointOf(tx: Tx, tenantId: string, id: string): Promise<EndpointRow> {
  const [row] = await selectEndpoints(tx, tenantId, { id, limit: 1 })
  if (!row) throw new Error('bug: an endpoint vanished under its lock')
  return row
}

function noEndpoint(): AppError {
  return notFound('EVENT_ENDPOINT_NOT_FOUND', 'event endpoint')
}

function notActive(status: string): AppError {
  return new AppError(
    'EVENT_ENDPOINT_NOT_ACTIVE',
    409,
    `The endpoint is ${status}: resume it first.`,
  )
}

/** Whatever the name resolves to is judged again when the connection is made. */
function checkUrl({ allowPrivateTargets }: EndpointManager, url: string): void {
  const isPlain = URL.canParse(url) && new URL(url).protocol === 'http:'
  const problem =
    targetProblem(url, { allowPrivate: allowPrivateTargets }) ??
    (isPlain && !allowPrivateTargets ? 'must be an https URL' : undefined)
  if (problem === undefined) return
  throw new AppError('INVALID_REQUEST', 400, `url: ${problem}`, {
    details: { fields: [{ field: 'url', problem }] },
  })
}

async function ownAccounts(tx: Tx, tenantId: string, publicIds: string[]): Promise<string[]> {
  const ids = [...new Set(publicIds.map((id) => uuidOf('acc', id) ?? ''))]
  const known = await selectOwnAccounts(
    tx,
    tenantId,
    ids.filter((id) => id !== ''),
  )
  if (known.length < ids.length) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  return known
}

function act(
  tx: Tx,
  { tenantId, actor, at }: By & { at: Date },
  action: string,
  endpointId: string,
  details: Record<string, unknown>,
): Promise<void> {
  return recordAct(tx, {
    tenantId,
    at,
    actor,
    action,
    subject: publicId('ep', endpointId),
    details,
  })
}
