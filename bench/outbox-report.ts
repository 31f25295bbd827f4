// Cells of `bench outbox` → ratios. Ratios are taken within a round, then their median over the rounds.
import { type Machine, type Spread, spreadOf } from './measure.ts'
import type { ClaimCell } from './outbox-claims.ts'
import type { ContenderName } from './outbox-contender.ts'
import type { HttpCell } from './outbox-http.ts'
import type { Measured } from './outbox-measures.ts'
import { spreadText, type Target, tableOf, targetOf } from './report.ts'

export interface OutboxCell extends Measured {
  round: number
  contender: ContenderName
  /** Ours without what surrounds the queue: claims and settles alone. */
  queueAlonePerSecond?: number
}

export interface OutboxSummary {
  contender: ContenderName
  singlePerSecond: Spread | undefined
  bulkPerSecond: Spread | undefined
  fillPerSecond: Spread | undefined
  processPerSecond: Spread | undefined
  queueAlonePerSecond: Spread | undefined
  /** CPU time per processed job, Node and Postgres together. */
  cpuMicros: Spread | undefined
  idleP50Ms: Spread | undefined
  idleP95Ms: Spread | undefined
  idleP99Ms: Spread | undefined
  smallP50Ms: Spread | undefined
  smallP95Ms: Spread | undefined
}

export interface ClaimSummary {
  pending: number
  deepLane: number
  claimed: number
  p50Ms: Spread | undefined
  /** Over the next smaller backlog, or over the same one without the lane; same round. */
  growth: Spread | undefined
}

export interface OutboxReport {
  bench: 'outbox'
  machine: Machine
  settings: Record<string, unknown>
  targets: Target[]
  summary: OutboxSummary[]
  claims: ClaimSummary[]
  http: {
    gatewayPerSecond: Spread | undefined
    barePerSecond: Spread | undefined
    ratio: Spread | undefined
  }
  cells: OutboxCell[]
  claimCells: ClaimCell[]
  httpCells: HttpCell[]
  notes: string[]
}

type Run = Pick<
  OutboxReport,
  'machine' | 'settings' | 'cells' | 'claimCells' | 'httpCells' | 'notes'
>

export function summarizeOutbox(run: Run): OutboxReport {
  const contenders = [...new Set(run.cells.map((cell) => cell.contender))]
  const claims = summarizeClaims(run.claimCells)
  return {
    bench: 'outbox',
    ...run,
    targets: [...targetsOf(run.cells), ...claimTargets(claims)],
    summary: contenders.map((contender) => summarizeOne(run.cells, contender)),
    claims,
    http: {
      gatewayPerSecond: spreadOf(run.httpCells.map((cell) => cell.gatewayPerSecond)),
      barePerSecond: spreadOf(run.httpCells.map((cell) => cell.barePerSecond)),
      ratio: spreadOf(run.httpCells.map((cell) => cell.gatewayPerSecond / cell.barePerSecond)),
    },
  }
}

function summarizeOne(cells: OutboxCell[], contender: ContenderName): OutboxSummary {
  const mine = cells.filter((cell) => cell.contender === contender)
  const over = (figure: (cell: OutboxCell) => number | undefined) => spreadOf(mine.map(figure))
  return {
    contender,
    singlePerSecond: over((cell) => cell.singlePerSecond),
    bulkPerSecond: over((cell) => cell.bulkPerSecond),
    fillPerSecond: over((cell) => cell.fillPerSecond),
    processPerSecond: over((cell) => cell.processPerSecond),
    queueAlonePerSecond: over((cell) => cell.queueAlonePerSecond),
    cpuMicros: over((cell) => cell.postgresMicros && cell.nodeMicros + cell.postgresMicros),
    idleP50Ms: over((cell) => cell.idle.p50Ms),
    idleP95Ms: over((cell) => cell.idle.p95Ms),
    idleP99Ms: over((cell) => cell.idle.p99Ms),
    smallP50Ms: over((cell) => cell.small.p50Ms),
    smallP95Ms: over((cell) => cell.small.p95Ms),
  }
}

function summarizeClaims(cells: ClaimCell[]): ClaimSummary[] {
  const kinds = new Map(cells.map((cell) => [`${cell.pending} ${cell.deepLane}`, cell]))
  const sizes = [...new Set(cells.map((cell) => cell.pending))].sort((a, b) => a - b)
  return [...kinds.values()].map(({ pending, deepLane, claimed }) => {
    const mine = cells.filter((cell) => cell.pending === pending && cell.deepLane === deepLane)
    const base = deepLane > 0 ? pending : sizes[sizes.indexOf(pending) - 1]
    const growth = mine.map((cell) => {
      const other = cells.find(
        (one) => one.round === cell.round && one.pending === base && one.deepLane === 0,
      )
      return other && cell.p50Ms / other.p50Ms
    })
    return {
      pending,
      deepLane,
      claimed,
      p50Ms: spreadOf(mine.map((cell) => cell.p50Ms)),
      growth: spreadOf(growth),
    }
  })
}

function targetsOf(cells: OutboxCell[]): Target[] {
  const ours = cells.filter((cell) => cell.contender === 'ours')
  const inRound = (cell: OutboxCell, contender: ContenderName) =>
    cells.find((one) => one.round === cell.round && one.contender === contender)
  const rate = (figure: (cell: OutboxCell) => number | undefined, contender: ContenderName) =>
    spreadOf(
      ours.map((cell) => {
        const [mine, peer] = [figure(cell), inRound(cell, contender)]
        return mine !== undefined && peer ? mine / peer.processPerSecond : undefined
      }),
    )
  const processing = (contender: ContenderName, limit: number) => [
    targetOf({
      target: `processing, with all that a send does, over ${contender}, at least`,
      limit,
      atLeast: true,
      measured: rate((cell) => cell.processPerSecond, contender),
    }),
    targetOf({
      target: `processing, the queue alone, over ${contender}, at least`,
      limit,
      atLeast: true,
      measured: rate((cell) => cell.queueAlonePerSecond, contender),
    }),
  ]
  const smallOverBest = ours.map((cell) => {
    const peers = cells.filter((one) => one.round === cell.round && one.contender !== 'ours')
    const best = Math.min(...peers.map((one) => one.small.p95Ms))
    return Number.isFinite(best) ? cell.small.p95Ms / best : undefined
  })
  return [
    ...processing('graphile-worker', 0.6),
    ...processing('pg-boss', 1.2),
    targetOf({
      target: 'delay of small tenants behind a busy one, p95 over the best peer’s, at most',
      limit: 0.1,
      atLeast: false,
      measured: spreadOf(smallOverBest),
    }),
    targetOf({
      target: 'idle, from the call to the sender, p95 over 15 ms, at most',
      limit: 1,
      atLeast: false,
      measured: spreadOf(ours.map((cell) => cell.idle.p95Ms / 15)),
    }),
  ]
}

function claimTargets(claims: ClaimSummary[]): Target[] {
  const sizes = claims.filter((one) => one.deepLane === 0).sort((a, b) => a.pending - b.pending)
  const [smaller, largest] = sizes.slice(-2)
  const deep = claims.find((one) => one.deepLane > 0)
  return [
    targetOf({
      target: `claim of ${largest?.claimed} out of ${largest?.pending} over ${smaller?.claimed} out of ${smaller?.pending}, p50, at most`,
      limit: 1.5,
      atLeast: false,
      measured: largest?.growth,
    }),
    targetOf({
      target: `claim of ${deep?.claimed} behind a lane of ${deep?.deepLane} that waits, over the same without it, p50, at most`,
      limit: 1.5,
      atLeast: false,
      measured: deep?.growth,
    }),
  ]
}

export function outboxTable(report: OutboxReport): string {
  const { gatewayPerSecond, barePerSecond, ratio } = report.http
  const three = (...spreads: (Spread | undefined)[]) =>
    spreads.map((spread) => spread?.median ?? '–').join(' / ')
  return [
    tableOf([
      [
        'contender',
        'single/s',
        'bulk/s',
        'rows/s',
        'processed/s',
        'queue alone/s',
        'CPU µs/job',
        'idle p50 / p95 / p99 ms',
        'small tenants p50 / p95 ms',
      ],
      ...report.summary.map((one) => [
        one.contender,
        spreadText(one.singlePerSecond),
        spreadText(one.bulkPerSecond),
        spreadText(one.fillPerSecond),
        spreadText(one.processPerSecond),
        spreadText(one.queueAlonePerSecond),
        spreadText(one.cpuMicros),
        three(one.idleP50Ms, one.idleP95Ms, one.idleP99Ms),
        three(one.smallP50Ms, one.smallP95Ms),
      ]),
    ]),
    '',
    tableOf([
      ['pending', 'lane that waits', 'claimed', 'claim p50 ms', 'growth'],
      ...report.claims.map((one) => [
        String(one.pending),
        String(one.deepLane),
        String(one.claimed),
        spreadText(one.p50Ms),
        spreadText(one.growth, '×'),
      ]),
    ]),
    '',
    `over HTTP to the simulator: ${spreadText(gatewayPerSecond)} sends/s; a bare loop ${spreadText(barePerSecond)}; ${spreadText(ratio, '×')}`,
  ].join('\n')
}
