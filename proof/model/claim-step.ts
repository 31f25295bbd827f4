// The claim as send_claim of migrations/0015_rings.sql makes it: fair, in order, within cap, pace, hold and circuit; each row
// with its attempt and, where its number is paced, a moment of its own.
import { type Claimed, type NumberState, type Row, rowOf, type State, tenantOf } from './state.ts'
import { gapOf } from './weather-steps.ts'

const aheadMs = 200
const pairGapMs = 6_000
const pairBurstMs = 264_000

interface Pick {
  row: Row
  number: NumberState
  place: number
  isPaced: boolean
}

const startOf = (millis: number) => Math.round(millis * 1000) / 1000

/** `preferred`: where chance decides between rows of equal right, those that it chose. */
export function claim(
  state: State,
  lease: number,
  limit: number,
  preferred: ReadonlySet<number> | null = null,
): Claimed[] {
  const { now, host } = state
  if (host.isOpen && host.trialAt > now) return []
  const tenants = dueTenants(state, limit)
  if (tenants.length === 0) return []
  const quantum = Math.max(4, Math.floor(limit / tenants.length))
  if (host.isOpen && state.rows.some((row) => row.status === 'running')) return []
  const wanted = host.isOpen ? 1 : limit
  const numbers = tenants.flatMap((tenant) =>
    state.numbers
      .filter((number) => number.tenant === tenant && number.nextAt <= now)
      .sort((a, b) => a.nextAt - b.nextAt)
      .slice(0, quantum),
  )
  let claimed: Claimed[] = []
  for (let look = 0; look < 5 && claimed.length === 0; look++) {
    const picks = pickRows(state, numbers, quantum, wanted, preferred)
    if (picks.length === 0) break
    claimed = take(state, picks, lease)
  }
  rearm(state, tenants, numbers)
  return claimed
}

function dueTenants(state: State, limit: number): number[] {
  const due: number[] = []
  for (let id = 0; id < state.tenants.length; id++) {
    if (tenantOf(state, id).nextAt <= state.now) due.push(id)
  }
  due.sort((a, b) => tenantOf(state, a).nextAt - tenantOf(state, b).nextAt)
  return due.slice(0, Math.max(Math.floor(limit / 4), 8))
}

function runningOf(state: State, isMeant: (row: Row) => boolean): number {
  let count = 0
  for (const row of state.rows) if (row.status === 'running' && isMeant(row)) count++
  return count
}

function roomOf(state: State, tenant: number, quantum: number): number {
  const running =
    state.bug === 'the cap does not count what runs'
      ? 0
      : runningOf(state, (row) => row.tenant === tenant)
  return Math.min(quantum, tenantOf(state, tenant).cap - running)
}

/** How many of a number may be claimed now. */
function countOf(state: State, number: NumberState, room: number): number {
  const { now, bug } = state
  const isHeld = number.holdUntil > now && bug !== 'a hold is not looked at'
  if (room <= 0 || isHeld || number.pacedUntil > now + aheadMs) return 0
  if (number.isOpen && bug !== 'an open circuit lets everyone try') {
    const isBusy = runningOf(state, (row) => row.number === number.id) > 0
    return number.trialAt > now || isBusy ? 0 : 1
  }
  const gap = gapOf(number, now)
  if (gap === 0) return room
  const spare = startOf(now + aheadMs - Math.max(number.pacedUntil, now))
  return Math.min(room, Math.floor(Math.round(spare * 1000) / Math.round(gap * 1000)) + 1)
}

function pickRows(
  state: State,
  numbers: NumberState[],
  quantum: number,
  wanted: number,
  preferred: ReadonlySet<number> | null,
): Pick[] {
  const byTurn = (a: { row: Row }, b: { row: Row }) =>
    a.row.runAt - b.row.runAt || a.row.id - b.row.id
  const perTenant = new Map<number, Omit<Pick, 'place'>[]>()
  for (const number of numbers) {
    const count = countOf(state, number, roomOf(state, number.tenant, quantum))
    if (count <= 0) continue
    const isPaced = gapOf(number, state.now) > 0
    const heads: Omit<Pick, 'place'>[] = []
    for (const row of state.rows) {
      const isTurn = row.isHead || state.bug === 'a lane has no order'
      if (row.status !== 'pending' || row.number !== number.id) continue
      if (isTurn && row.runAt <= state.now) heads.push({ row, number, isPaced })
    }
    const list = perTenant.get(number.tenant) ?? []
    list.push(...heads.sort(byTurn).slice(0, count))
    perTenant.set(number.tenant, list)
  }
  const picks: Pick[] = []
  for (const [tenant, list] of perTenant) {
    const room = roomOf(state, tenant, quantum)
    const placed = list.sort(byTurn).map((one, index) => ({ ...one, place: index + 1 }))
    picks.push(...placed.filter((one) => one.place <= room))
  }
  const isLiked = (one: Pick) => (preferred?.has(one.row.id) ? 0 : 1)
  picks.sort((a, b) => a.place - b.place || isLiked(a) - isLiked(b))
  return picks.slice(0, wanted)
}

/** Those whose contact has had enough are put off; the others run. */
function take(state: State, picks: Pick[], lease: number): Claimed[] {
  const { now } = state
  const turns = new Map<string, number>()
  const free: Pick[] = []
  for (const pick of picks) {
    if (!pick.isPaced) {
      free.push(pick)
      continue
    }
    const key = `${pick.number.id} ${pick.row.contact}`
    const turn = turns.get(key) ?? 0
    turns.set(key, turn + 1)
    const owed = Math.max(pick.number.pairs.get(pick.row.contact) ?? now, now)
    const freeAt = owed + turn * pairGapMs - pairBurstMs
    if (freeAt > now) pick.row.runAt = freeAt
    else free.push(pick)
  }
  const claimed: Claimed[] = []
  for (const number of new Set(free.map((pick) => pick.number))) {
    const own = free.filter((pick) => pick.number === number)
    const gap = gapOf(number, now)
    const from = Math.max(number.pacedUntil, now)
    number.pacedUntil = startOf(from + own.length * gap)
    for (const [turn, { row, isPaced }] of own.entries()) {
      if (isPaced) {
        const owed = Math.max(number.pairs.get(row.contact) ?? now, now)
        number.pairs.set(row.contact, owed + pairGapMs)
      }
      const slot = gap > 0 && !number.isOpen ? startOf(from + turn * gap) : null
      claimed.push({ row, attempt: begin(state, row, lease), slot })
    }
  }
  return claimed
}

function begin(state: State, row: Row, lease: number): number {
  const id = state.attempts.length + 1
  state.attempts.push({
    id,
    row: row.id,
    startedAt: state.now,
    finishedAt: null,
    outcome: null,
    wamid: null,
    isDuplicate: false,
    isDropped: false,
  })
  const running = rowOf(state, row.id)
  running.status = 'running'
  running.attempt = id
  running.lease = lease
  return id
}

/** The only place where an alarm moves later. */
function rearm(state: State, tenants: number[], numbers: NumberState[]): void {
  const { now } = state
  for (const number of numbers) {
    let first = Number.POSITIVE_INFINITY
    for (const row of state.rows) {
      if (row.number === number.id && row.status === 'pending' && row.isHead && row.runAt < first)
        first = row.runAt
    }
    const trialAt = number.isOpen ? Math.max(number.trialAt, now + 1000) : now
    number.nextAt = Math.max(now, number.holdUntil, number.pacedUntil - aheadMs, trialAt, first)
  }
  for (const id of tenants) {
    const tenant = tenantOf(state, id)
    let first = Number.POSITIVE_INFINITY
    for (const number of state.numbers) {
      if (number.tenant === id && number.nextAt < first) first = number.nextAt
    }
    const isFull = runningOf(state, (row) => row.tenant === id) >= tenant.cap
    tenant.nextAt = isFull ? Number.POSITIVE_INFINITY : Math.max(now, first)
  }
}
