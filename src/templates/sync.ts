// One full listing of an account's templates into the mirror: on connect, on demand, daily, and soon after anything that
// left a doubt. Page by page, each in a transaction of its own that proves the turn is still ours; only a complete
// listing says what is gone. No transaction is open while Meta is asked.
import { tokensOfWaba, type WabaToken } from '../accounts/token.ts'
import type { Vault } from '../accounts/vault.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Graph } from '../meta/graph.ts'
import {
  createGraphTemplates,
  type Failed,
  type GraphTemplates,
  type TemplatePage,
} from '../meta/graph-templates.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { markGone, type SeenTemplate, upsertSeen } from './queries.ts'
import { failureOf, type TemplateFailure, unreadableToken } from './refusals.ts'
import { showTemplateAccess } from './show-access.ts'
import {
  claimDueSync,
  claimSync,
  endSync,
  failSync,
  giveTurnBack,
  hasUndecided,
  renewTurn,
  type Turn,
} from './sync-queries.ts'

export interface SyncOptions {
  db: Db
  graph: Graph
  vault: Vault
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  /** Ends a sync at once; its turn is given back. */
  signal?: AbortSignal
}

export interface Synced {
  wabaId: string
  /** How many Meta listed, and how many of them were new here. */
  listed: number
  added: number
  gone: number
}

export interface TemplateSync {
  /** Now, for one account. Throws why it could not be done. */
  syncNow(tenantId: string, wabaId: string): Promise<Synced>
  /** The one that is due longest; false when none is. Failures are kept on its row and tried again by themselves. */
  runDue(): Promise<boolean>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** Longer than one call to Meta takes; renewed with every page. */
const leaseMs = minuteMs
const dailyMs = 24 * hourMs
/** While Meta has something to decide, a webhook that was lost must not be missed for a day. */
const undecidedMs = hourMs
const maxFailureDelayMs = 6 * hourMs
/** 6000 templates, one on a page. More is a listing that goes round in circles. */
const maxPages = 6_100

class LostTurn extends Error {}

export function createTemplateSync(options: SyncOptions): TemplateSync {
  const { db, clock } = options
  const templates = createGraphTemplates(options.graph, clock, options.signal)
  const leasedUntil = () => new Date(clock.now().getTime() + leaseMs)

  async function run(turn: Turn): Promise<Synced | TemplateFailure> {
    const startedMs = clock.monotonicMs()
    const result = await list(options, templates, turn, leasedUntil)
    if (!('listed' in result)) {
      if (options.signal?.aborted) {
        await db.tenantTransaction(turn.tenantId, (tx) => giveTurnBack(tx, turn, clock.now()))
        throw new LostTurn()
      }
      await keepFailure(options, turn, result)
    }
    report(options, turn, result, clock.monotonicMs() - startedMs)
    return result
  }

  return {
    async syncNow(tenantId, wabaId) {
      const turn = await db.tenantTransaction(tenantId, (tx) =>
        claimSync(tx, tenantId, wabaId, clock.now(), leasedUntil()),
      )
      if (!turn) throw alreadyRunning()
      const result = await run(turn).catch((error) => {
        throw error instanceof LostTurn ? alreadyRunning() : error
      })
      if ('listed' in result) return result
      throw result.error
    },
    async runDue() {
      const turn = await claimDueSync(db, clock.now(), leasedUntil())
      if (turn === undefined) return false
      if (turn === 'taken') return true
      await run(turn).catch((error) => {
        if (!(error instanceof LostTurn)) throw error
      })
      return true
    },
  }
}

function alreadyRunning(): AppError {
  return new AppError(
    'TEMPLATE_SYNC_RUNNING',
    409,
    'The templates of this account are being synced right now: look at the list in a moment.',
  )
}

async function list(
  options: SyncOptions,
  templates: GraphTemplates,
  turn: Turn,
  leasedUntil: () => Date,
): Promise<Synced | TemplateFailure> {
  const { db, clock, random, vault } = options
  const { tenantId, wabaId } = turn
  const tokens = await db.tenantTransaction(tenantId, (tx) =>
    tokensOfWaba(tx, vault, tenantId, wabaId),
  )
  const first = await firstPage(templates, wabaId, tokens)
  if (first.kind === 'failed') return first.failure
  const { token, at: startedAt } = first
  const synced: Synced = { wabaId, listed: 0, added: 0, gone: 0 }
  let page: { value: TemplatePage; at: Date } = first
  for (let count = 1; ; count++) {
    const seen = seenIn(page, () => random.uuid())
    await db.tenantTransaction(tenantId, async (tx) => {
      if (!(await renewTurn(tx, turn, leasedUntil()))) throw new LostTurn()
      const by = { syncAttempt: turn.attempt, now: clock.now() }
      synced.added += (await upsertSeen(tx, tenantId, wabaId, seen, by)).added
    })
    synced.listed += seen.length
    const { next } = page.value
    if (next === null) break
    const answer = await templates.list(wabaId, token, next)
    if (answer.kind === 'failed') return failureOf(answer, 'list')
    if (answer.value.next === next || count >= maxPages) return failureOf(endless, 'list')
    page = answer
  }
  await db.tenantTransaction(tenantId, async (tx) => {
    if (!(await renewTurn(tx, turn, leasedUntil()))) throw new LostTurn()
    const now = clock.now()
    synced.gone = await markGone(tx, tenantId, wabaId, { attempt: turn.attempt, startedAt, now })
    const isSoon = await hasUndecided(tx, tenantId, wabaId)
    // Spread, so that accounts which were connected together are not listed together for ever.
    const delayMs = isSoon ? undecidedMs : dailyMs - random.fraction() * hourMs
    await endSync(tx, turn, { listedAt: now, nextSyncAt: new Date(now.getTime() + delayMs) })
  })
  await showTemplateAccess(db, tenantId, wabaId, null)
  return synced
}

type FirstPage =
  | { kind: 'read'; token: string; value: TemplatePage; at: Date }
  | { kind: 'failed'; failure: TemplateFailure }

/** With the first token that Meta lets in: numbers of one account can have several. */
async function firstPage(
  templates: GraphTemplates,
  wabaId: string,
  tokens: WabaToken[],
): Promise<FirstPage> {
  let failure = unreadableToken(tokens.length)
  for (const { accessToken } of tokens) {
    if (accessToken === null) continue
    const answer = await templates.list(wabaId, accessToken, null)
    if (answer.kind === 'accepted') return { ...answer, kind: 'read', token: accessToken }
    failure = failureOf(answer, 'list')
    if (!failure.isAuth) break
  }
  return { kind: 'failed', failure }
}

/** The later one of two that a shifting listing shows twice on a page. */
function seenIn({ value, at }: { value: TemplatePage; at: Date }, newId: () => string) {
  const byName = new Map<string, SeenTemplate>()
  for (const one of value.templates) {
    byName.set(JSON.stringify([one.name, one.language]), { ...one, id: newId(), at, toldAt: null })
  }
  return [...byName.values()]
}

const endless: Failed = {
  kind: 'failed',
  outcome: {
    class: 'transient',
    scope: 'message',
    errorCode: 'LISTING_ENDLESS',
    advice: 'Meta’s listing does not end; it is tried again.',
    wamid: null,
    statusCode: null,
    provider: null,
    retryAfterSeconds: null,
  },
  title: null,
  text: null,
}

async function keepFailure(
  { db, clock }: SyncOptions,
  turn: Turn,
  { error, isAuth, retryAfterSeconds }: TemplateFailure,
): Promise<void> {
  const at = clock.now()
  const nextSyncAt = (failures: number) => {
    const backoffMs = Math.min(maxFailureDelayMs, minuteMs * 2 ** Math.min(failures, 20))
    return new Date(at.getTime() + Math.max(backoffMs, (retryAfterSeconds ?? 0) * 1000))
  }
  await db.tenantTransaction(turn.tenantId, (tx) =>
    failSync(tx, turn, { code: error.code, message: error.message, isAuth, at, nextSyncAt }),
  )
  if (isAuth) await showTemplateAccess(db, turn.tenantId, turn.wabaId, error.message)
}

function report(
  { log, metrics }: SyncOptions,
  { tenantId, wabaId }: Turn,
  result: Synced | TemplateFailure,
  durationMs: number,
): void {
  const fields = {
    tenant_id: tenantId,
    waba_id: wabaId,
    duration_ms: Math.round(durationMs),
  }
  if ('listed' in result) {
    metrics.templateSyncs.inc({ outcome: 'done' })
    log.info('templates_synced', { ...fields, count: result.listed })
    return
  }
  metrics.templateSyncs.inc({ outcome: result.isAuth ? 'auth' : 'failed' })
  log.warn('template_sync_failed', {
    ...fields,
    error_code: result.error.code,
    error_message: result.providerMessage,
    provider_code: result.providerCode,
  })
}
