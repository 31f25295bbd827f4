// What a scrape is answered: this process's own counts, its pools, and what the database says of the whole. However often
// somebody asks, the database is asked once a second at most and by one at a time.
import type { Gauge } from 'prom-client'
import { countAccounts } from '../accounts/token-queries.ts'
import type { Db } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { deadLetterKinds, eventStates, type Ledger, sendStates } from '../metrics-labels.ts'
import type { WholeMetrics } from '../metrics-whole.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { differenceIn, type LedgerRow } from './account-sample.ts'
import { readSample, type Sample } from './backlog-queries.ts'
import { byState, describeHealth, type Health, type Look, type State, takeLook } from './health.ts'

export interface ScrapeOptions {
  db: { receive: Db; work: Db; api: Db }
  clock: Clock
  log: Log
  metrics: Metrics
  deadLetterThreshold: number
  tokenWarningDays: number
  /** What others have to say of the whole. */
  setMore(db: Db, now: Date): Promise<void>
  /** METRICS_TENANTS. */
  maxTenants: number
}

export interface Scrape {
  contentType: string
  text(): Promise<string>
}

const keptMs = 1_000
/** Prometheus waits 10 s for everything; what the process itself has to say must not be lost over a slow database. */
const patienceMs = 3_000
const dayMs = 24 * 60 * 60 * 1000

export function createScrape(options: ScrapeOptions): Scrape {
  const { clock, log, metrics } = options
  let looking: Promise<boolean> | undefined
  let lookedMs = Number.NEGATIVE_INFINITY

  /** False when the database does not tell. */
  async function look(): Promise<boolean> {
    if (clock.monotonicMs() - lookedMs < keptMs) return true
    try {
      setWhole(options, await readWhole(options))
      lookedMs = clock.monotonicMs()
      return true
    } catch (error) {
      log.warn('metrics_incomplete', errorFields(error))
      return false
    }
  }
  async function tooLate(signal: AbortSignal): Promise<boolean> {
    await sleep(clock, patienceMs, signal)
    return false
  }
  return {
    contentType: metrics.registry.contentType,
    async text() {
      looking ??= look().finally(() => {
        looking = undefined
      })
      const answered = new AbortController()
      const isWhole = await Promise.race([looking, tooLate(answered.signal)])
      answered.abort()
      setPools(options)
      const own = await metrics.registry.metrics()
      return isWhole ? own + (await metrics.whole.registry.metrics()) : own
    },
  }
}

function setPools({ db, metrics }: ScrapeOptions): void {
  for (const [pool, one] of Object.entries(db)) {
    const { size, used, idle, waiting } = one.pool()
    metrics.poolSize.set({ pool }, size)
    metrics.poolConnections.set({ pool, state: 'used' }, used)
    metrics.poolConnections.set({ pool, state: 'idle' }, idle)
    metrics.poolWaiting.set({ pool }, waiting)
  }
}

interface Whole {
  now: Date
  look: Look
  health: Health
  accounts: Record<string, number>
  sample: Sample<LedgerRow> | undefined
}

async function readWhole(options: ScrapeOptions): Promise<Whole> {
  const { clock } = options
  const db = options.db.api
  const now = clock.now()
  const look = await takeLook(db, now)
  await options.setMore(db, now)
  const warnBefore = new Date(now.getTime() + options.tokenWarningDays * dayMs)
  return {
    now,
    look,
    health: describeHealth(look, now, { ...options, blockers: [] }),
    accounts: { ...(await countAccounts(db, warnBefore)) },
    sample: await readSample<LedgerRow>(db, 'accounting'),
  }
}

function setWhole(options: ScrapeOptions, whole: Whole): void {
  const { health, look } = whole
  const gauges = options.metrics.whole
  const byKind = byState(look.letters.rows)
  setStates(gauges.eventsWaiting, gauges.eventsOldestSeconds, eventStates, health.events_by_state)
  setStates(gauges.sendsWaiting, gauges.sendsOldestSeconds, sendStates, health.sends_by_state)
  setStates(
    gauges.deadLettersOpen,
    gauges.deadLettersOldestSeconds,
    deadLetterKinds,
    byKind,
    'kind',
  )
  gauges.tenantsOverThreshold.set(
    health.tenants.filter((one) => one.dlq_count > options.deadLetterThreshold).length,
  )
  for (const scope of ['number', 'host'] as const) {
    gauges.circuitsOpen.set({ scope }, look.circuits.filter((one) => one.scope === scope).length)
  }
  for (const [state, count] of Object.entries(whole.accounts)) gauges.accounts.set({ state }, count)
  setAccounting(gauges, whole)
  setTenants(gauges, health, options.maxTenants)
}

/** A state in which nothing waits shows as 0, so that its line goes on. */
function setStates(
  counts: Gauge<string>,
  ages: Gauge<string>,
  known: readonly string[],
  states: Record<string, State>,
  label = 'state',
): void {
  counts.reset()
  ages.reset()
  for (const name of new Set([...known, ...Object.keys(states)])) {
    // Only while it is so: it is no state that anything stays in.
    if (name === 'not_counted_yet' && !states[name]) continue
    counts.set({ [label]: name }, states[name]?.count ?? 0)
    ages.set({ [label]: name }, states[name]?.oldest_seconds ?? 0)
  }
}

/** Nothing, where no worker has taken a sample yet: 0 would say that it adds up. */
function setAccounting(gauges: WholeMetrics, { sample, now }: Whole): void {
  gauges.accounting.reset()
  gauges.accountingDifference.reset()
  gauges.accountingAgeSeconds.remove()
  if (!sample) return
  const { takenAt, rows } = sample
  for (const { ledger, part, count } of rows) gauges.accounting.set({ ledger, part }, count)
  for (const ledger of ['inbound', 'outbound'] satisfies Ledger[]) {
    gauges.accountingDifference.set({ ledger }, differenceIn(rows, ledger))
  }
  gauges.accountingAgeSeconds.set(Math.max(0, (now.getTime() - takenAt.getTime()) / 1000))
}

/** Those with the most to do have a name; the others are one. */
function setTenants(gauges: WholeMetrics, { tenants }: Health, maxTenants: number): void {
  for (const gauge of [
    gauges.tenantWaiting,
    gauges.tenantOldestSeconds,
    gauges.tenantDeadLettersOpen,
  ]) {
    gauge.reset()
  }
  if (maxTenants === 0) return
  const load = (one: Health['tenants'][number]) =>
    one.webhook_events_pending_count + one.outbox_pending_count + one.dlq_count
  const busiest = tenants.toSorted((one, other) => load(other) - load(one))
  const others = busiest.slice(maxTenants)
  const shown = [
    ...busiest.slice(0, maxTenants).map((one) => ({ tenant: one.tenant_id, members: [one] })),
    ...(others.length > 0 ? [{ tenant: 'other', members: others }] : []),
  ]
  for (const { tenant, members } of shown) {
    for (const one of members) {
      gauges.tenantWaiting.inc({ tenant, queue: 'inbox' }, one.webhook_events_pending_count)
      gauges.tenantWaiting.inc({ tenant, queue: 'outbox' }, one.outbox_pending_count)
      gauges.tenantDeadLettersOpen.inc({ tenant }, one.dlq_count)
    }
    const ages = members.map((one) => one.oldest_pending_seconds ?? 0)
    gauges.tenantOldestSeconds.set(
      { tenant },
      ages.reduce((one, other) => Math.max(one, other)),
    )
  }
}
