// The histories as a property of fast-check: made from a seed, shrunk by leaving commands out, run again by seed and path.
import fc from 'fast-check'
import type { Command } from './commands.ts'
import { type ProfileName, profiles, runHistory } from './history.ts'
import type { Bug } from './planted.ts'

export interface Run {
  profile: ProfileName
  histories: number
  seed: number
  /** Of a failure, to see it again at once. */
  path?: string | undefined
  bug?: Bug | null
  /** How often what was reached. */
  counts: Map<string, number>
}

export interface Failure {
  what: string
  seed: number
  path: string
  /** How many histories it took. */
  histories: number
  commands: Command[]
}

const largest = 2 ** 31 - 1

/** Undefined when every invariant held in all of them. */
export function checkHistories(run: Run): Failure | undefined {
  const { profile, counts, bug = null } = run
  const maxLength = profiles[profile].longest
  const values = fc.noBias(fc.array(fc.nat(largest), { minLength: 1, maxLength, size: 'max' }))
  const property = fc.property(values, (list) => void runHistory(list, { profile, counts, bug }))
  const details = fc.check(property, {
    seed: run.seed,
    numRuns: run.histories,
    ...(run.path !== undefined && { path: run.path }),
  })
  if (!details.failed) return undefined
  return {
    what: String(details.errorInstance ?? 'interrupted'),
    seed: run.seed,
    path: details.counterexamplePath ?? '',
    histories: details.numRuns,
    commands: commandsOf(details.counterexample?.[0] ?? [], profile, bug),
  }
}

/** What a history did until it failed. */
export function commandsOf(values: number[], profile: ProfileName, bug: Bug | null): Command[] {
  const commands: Command[] = []
  try {
    const onCommand = (command: Command) => void commands.push(command)
    runHistory(values, { profile, counts: new Map(), bug, onCommand })
  } catch {
    // That is what it is shown for.
  }
  return commands
}
