// What a run came to, in numbers that can be quoted and in words that can be read.
import { stopWord, suppressedCode } from '../checks/consent.ts'
import { failedAtMeta } from '../checks/doubles.ts'
import type { ClientLog } from './client-log.ts'
import type { Drained } from './drain.ts'
import type { NemesisOptions } from './options.ts'
import type { Place } from './place.ts'
import type { FaultCounts } from './torment.ts'
import type { Verdict } from './verdict.ts'

export interface Report {
  seed: number
  commit: string
  minutes: number
  counts: Record<string, number>
  faults: FaultCounts
  /** What was done to processes, by kind. */
  blows: Record<string, number>
  crash_points: Record<string, number>
  letters: Record<string, number>
  excused_doubles: string[]
  violations: string[]
}

interface Reported {
  options: NemesisOptions
  commit: string
  place: Place
  log: ClientLog
  drained: Drained
  faults: FaultCounts
  notes: Record<string, number>
  verdict: Verdict
}

export function reportOn(reported: Reported): Report {
  const { options, commit, faults, notes, verdict } = reported
  const { evidence } = verdict
  const letters: Record<string, number> = {}
  for (const { kind, state } of evidence.rows.letters) {
    const name = `${kind}, ${state}`
    letters[name] = (letters[name] ?? 0) + 1
  }
  return {
    seed: options.seed,
    commit,
    minutes: options.minutes,
    counts: countsOf(reported),
    faults,
    blows: notes,
    crash_points: verdict.crashes,
    letters,
    excused_doubles: verdict.excusedDoubles,
    violations: verdict.violations,
  }
}

function countsOf({ place, log, drained, verdict }: Reported): Record<string, number> {
  const { ledger, rows } = verdict.evidence
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0)
  const posts = ledger.requests.filter(({ endpoint }) => endpoint === 'messages')
  return {
    webhook_deliveries: ledger.deliveries.length,
    webhook_attempts: sum(ledger.deliveries.map(({ attempts }) => attempts.length)),
    webhooks_acknowledged: ledger.deliveries.filter(({ state }) => state === 'delivered').length,
    inbound_messages: rows.messages.filter(({ direction }) => direction === 'inbound').length,
    duplicates_injected:
      log.repeats.count +
      ledger.deliveries.filter(({ faults }) =>
        faults.some((one) => /duplicate|rebatch|late/.test(one)),
      ).length,
    sends_accepted: log.intents.filter(({ messageId }) => messageId !== null).length,
    posts: posts.length,
    acceptances: ledger.sends.length,
    posts_throttled: posts.filter(({ status }) => status === 429).length,
    failed_after_acceptance: failedAtMeta(ledger).size,
    opt_outs: rows.messages.filter(({ text }) => text === stopWord).length,
    sends_refused_or_ended_for_opt_outs:
      log.refused.count +
      rows.letters.filter(({ errorCode }) => errorCode === suppressedCode).length,
    ambiguous_sends: rows.attempts.filter(({ outcome, isDead }) => isDead || outcome === 'unknown')
      .length,
    sends_of_dead_workers: rows.attempts.filter(({ isDead }) => isDead).length,
    statuses: rows.steps.length,
    doubles_excused: verdict.excusedDoubles.length,
    events_told: place.receiver.told.length,
    events_refused: place.receiver.refused(),
    process_starts: sum(place.members.map((member) => member.starts())),
    crash_point_deaths: sum(Object.values(verdict.crashes)),
    swallowed_commits: place.network.counts.lostCommits,
    swallowed_answers: place.network.counts.lostAnswers,
    connections_reset: place.network.counts.resets,
    dead_letters: rows.letters.length,
    decisions: log.decisions.length,
    drain_seconds: Math.round(drained.seconds),
  }
}

/** What a long run must have seen: where it never happened, the run proves nothing about it. */
const sometimes = [
  ...['duplicates_injected', 'ambiguous_sends', 'sends_of_dead_workers', 'crash_point_deaths'],
  ...['swallowed_commits', 'connections_reset', 'events_refused', 'decisions'],
  ...['posts_throttled', 'failed_after_acceptance', 'sends_refused_or_ended_for_opt_outs'],
]

export function neverHappened({ faults, counts }: Pick<Report, 'faults' | 'counts'>): string[] {
  return [
    ...Object.keys(faults).filter((kind) => faults[kind] === 0),
    ...sometimes.filter((name) => counts[name] === 0),
  ].map((name) => `sometimes: ${name} never happened`)
}

const table = (numbers: Record<string, number>) =>
  Object.entries(numbers).map(([name, count]) => `  ${String(count).padStart(8)}  ${name}`)

export function reportText(report: Report): string {
  return [
    ...['counts', ...table(report.counts)],
    ...['faults', ...table(report.faults)],
    ...['blows', ...table(report.blows)],
    ...['deaths at crash points', ...table(report.crash_points)],
    ...['dead letters', ...table(report.letters)],
    ...report.excused_doubles.map((one) => `excused: ${one}`),
    ...report.violations.slice(0, 100).map((one) => `VIOLATED ${one}`),
    report.violations.length === 0
      ? 'Every invariant holds.'
      : `${report.violations.length} violation(s).`,
  ].join('\n')
}
