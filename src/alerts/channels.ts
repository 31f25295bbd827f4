// What can be done with alert channels; every act is in the audit, whose chain is also the lock of whoever counts them.
import type { Vault } from '../accounts/vault.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { excerptOf } from '../events/excerpt.ts'
import type { Poster } from '../events/post.ts'
import { newSecret } from '../events/sign.ts'
import { publicId, uuidOf } from '../ids.ts'
import { targetProblem } from '../net/guarded-agent.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import {
  type ChannelRow,
  countChannels,
  deleteChannel,
  insertChannel,
  selectChannels,
} from './channel-queries.ts'
import type { EnvironmentChannel } from './environment.ts'
import { hintOf } from './hint.ts'
import { testMessage } from './message.ts'
import type { By, ChannelKind } from './model.ts'
import { openDestination, secretOwner, targetOwner } from './open.ts'
import { render } from './render.ts'
import { showChannel } from './show.ts'
import { selectTenantNames } from './state-queries.ts'

export interface ChannelManager {
  db: Db
  clock: Clock
  random: Random
  vault: Vault
  poster: Poster
  allowPrivateTargets: boolean
  environmentChannels: EnvironmentChannel[]
  pagerdutyEventsUrl: string
  publicUrl?: string | undefined
}

/** Of one tenant, and of the operator besides the defaults. */
const maxChannels = 10

export interface NewChannel {
  kind: ChannelKind
  target: string
  description: string
}

/** The secret is a webhook's. */
export async function createChannel(
  manager: ChannelManager,
  { tenantId, actor }: By,
  { kind, target, description }: NewChannel,
): Promise<{ row: ChannelRow; secret: string | null }> {
  checkTarget(manager, kind, target)
  const { db, clock, random, vault } = manager
  const id = random.uuid()
  const secret = kind === 'webhook' ? newSecret(random) : null
  const at = clock.now()
  return db.transaction(async (tx) => {
    await expectTenant(tx, tenantId)
    await act(tx, { tenantId, actor, at }, 'alert_channel.created', id, { kind })
    if ((await countChannels(tx, tenantId)) >= maxChannels) {
      throw new AppError(
        'TOO_MANY_ALERT_CHANNELS',
        409,
        `There are ${maxChannels} alert channels already. Delete one first.`,
      )
    }
    await insertChannel(tx, {
      id,
      tenant_id: tenantId,
      kind,
      description,
      target: vault.seal(target, targetOwner(tenantId, id)),
      hint: hintOf(kind, target),
      secret: secret && vault.seal(secret, secretOwner(tenantId, id)),
      created_at: at,
    })
    const row = await findChannel(tx, tenantId, publicId('ach', id))
    return { row, secret }
  })
}

export async function listChannels(
  manager: Pick<ChannelManager, 'db'>,
  tenantId: string | null,
  { limit, after }: { limit: number; after?: string | undefined },
) {
  const wish = { after: decodeCursor(after), limit: limit + 1 }
  const { db } = manager
  const rows =
    tenantId === null
      ? await selectChannels(db, null, wish)
      : await db.tenantTransaction(tenantId, (tx) => selectChannels(tx, tenantId, wish))
  return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), showChannel)
}

export async function removeChannel(
  { db, clock }: ChannelManager,
  { tenantId, actor }: By,
  channelId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id, kind, target } = await findChannel(tx, tenantId, channelId)
    if (target === null) {
      throw new AppError(
        'ALERT_CHANNEL_FROM_ENVIRONMENT',
        409,
        'This channel comes from SLACK_WEBHOOK_URL or PAGERDUTY_ROUTING_KEY. Unset the variable to remove it.',
      )
    }
    const by = { tenantId, actor, at: clock.now() }
    await act(tx, by, 'alert_channel.deleted', id, { kind })
    if (!(await deleteChannel(tx, tenantId, id))) throw noChannel()
  })
}

export interface Tested {
  delivered: boolean
  status_code: number | null
  error_code: string | null
  /** What the target said, as far as it is short. */
  answer: string | null
}

/** Calls at once, whatever waits for the channel. */
export async function testChannel(
  manager: ChannelManager,
  { tenantId, actor }: By,
  channelId: string,
): Promise<Tested> {
  const { db, clock, random, poster } = manager
  const now = clock.now()
  const { row, tenant } = await db.transaction(async (tx) => {
    const found = await findChannel(tx, tenantId, channelId)
    const by = { tenantId, actor, at: now }
    await act(tx, by, 'alert_channel.tested', found.id, { kind: found.kind })
    const names = await selectTenantNames(tx, tenantId === null ? [] : [tenantId])
    const name = names.get(tenantId ?? '')
    return { row: found, tenant: tenantId && name ? { id: tenantId, name } : null }
  })
  const destination = openDestination(manager, row)
  if (typeof destination === 'string') {
    return { delivered: false, status_code: null, error_code: destination, answer: null }
  }
  const id = random.uuid()
  const message = testMessage({ id, tenant, now }, manager.publicUrl)
  const terms = { now, pagerdutyEventsUrl: manager.pagerdutyEventsUrl }
  const call = render(destination, { id: message.alert_id, event: 'test', message }, terms)
  const outcome = await poster.post({ ...call, asks: true, hearsRefusals: true })
  const delivered = outcome.errorCode === null
  if (delivered && row.kind === 'pagerduty') {
    // Nobody should have to close an incident that was a test.
    const over = render(destination, { id: message.alert_id, event: 'resolved', message }, terms)
    await poster.post({ ...over, asks: false })
  }
  return {
    delivered,
    status_code: outcome.statusCode,
    error_code: outcome.errorCode,
    answer: excerptOf(outcome.body),
  }
}

async function findChannel(
  tx: Tx,
  tenantId: string | null,
  channelId: string,
): Promise<ChannelRow> {
  const id = uuidOf('ach', channelId)
  const [row] = id === undefined ? [] : await selectChannels(tx, tenantId, { id, limit: 1 })
  if (!row) throw noChannel()
  return row
}

function noChannel(): AppError {
  return notFound('ALERT_CHANNEL_NOT_FOUND', 'alert channel')
}

export async function expectTenant(tx: Tx, tenantId: string | null): Promise<void> {
  if (tenantId === null) return
  if (!(await selectTenantNames(tx, [tenantId])).has(tenantId)) {
    throw notFound('TENANT_NOT_FOUND', 'tenant')
  }
}

/** Whatever the name resolves to is judged again when the connection is made. */
function checkTarget(
  { allowPrivateTargets }: ChannelManager,
  kind: ChannelKind,
  target: string,
): void {
  const problem =
    kind === 'pagerduty' ? keyProblem(target) : urlProblem(target, allowPrivateTargets)
  if (problem === undefined) return
  throw new AppError('INVALID_REQUEST', 400, `target: ${problem}`, {
    details: { fields: [{ field: 'target', problem }] },
  })
}

function keyProblem(target: string): string | undefined {
  return /^[A-Za-z0-9]{32}$/.test(target)
    ? undefined
    : 'must be a routing key of PagerDuty: 32 letters and digits'
}

function urlProblem(target: string, allowPrivate: boolean): string | undefined {
  const isPlain = URL.canParse(target) && new URL(target).protocol === 'http:'
  return (
    targetProblem(target, { allowPrivate }) ??
    (isPlain && !allowPrivate ? 'must be an https URL' : undefined)
  )
}

function act(
  tx: Tx,
  { tenantId, actor, at }: By & { at: Date },
  action: string,
  channelId: string,
  details: Record<string, unknown>,
): Promise<void> {
  return recordAct(tx, {
    tenantId,
    at,
    actor,
    action,
    subject: publicId('ach', channelId),
    details,
  })
}
