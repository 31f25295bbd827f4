// What a run of histories says: how many, what was reached, and how a failure is seen again.
import type { ProfileName } from './history.ts'
import { checkHistories, type Failure } from './properties.ts'

/** How a number of histories is divided. */
const shares: Record<ProfileName, number> = { outbox: 20, deep: 22, weather: 12, ladder: 46 }

export const profileNames = Object.keys(shares) as ProfileName[]

/** Of every hundred. */
export function shareOf(profile: ProfileName, histories: number): number {
  return Math.ceil((histories * shares[profile]) / 100)
}

/** What every run must have reached, or it has proved little. */
export const wanted: Record<ProfileName, readonly string[]> = {
  outbox: [
    'evidence ended a wait',
    'the fence refused a late settlement',
    'a dead worker’s row was taken back',
    'silence was not taken for an answer',
    'a number was parked',
    'a message was cancelled',
    'an opt-out ended what waited',
    'a late one got another moment',
    'a forgotten claim was given back',
  ],
  deep: [
    'the answer to a claim got lost',
    'a forgotten claim was given back',
    'evidence ended a wait',
    'a late answer ended a wait',
    'a duplicate was confirmed',
    'sent again in good faith',
    'silence was not taken for an answer',
    'the fence refused a late settlement',
    'a worker that lost its lease did not post',
    'a dead worker’s row was taken back',
    'a worker died: claimed',
    'a worker died: looked',
    'a worker died: done',
    'a status was faster than the answer',
    'a status came before its message had a name',
    'a late status changed nothing',
    'a letter: outbound',
    'a letter: unknown',
    'a letter was resolved by evidence',
    'a dead letter was requeued',
    'a number was parked',
    'a template took a failed message’s place',
  ],
  weather: [
    'a circuit opened',
    'a trial was made',
    'a trial failed',
    'a circuit closed',
    'the host’s circuit opened',
    'the host’s circuit closed',
    'a late one got another moment',
  ],
  ladder: ['a late status changed nothing', 'a status came before its message had a name'],
}

export interface ProfileRun {
  failure: Failure | undefined
  missing: string[]
}

export function runProfile(
  profile: ProfileName,
  histories: number,
  seed: number,
  counts: Map<string, number>,
  path?: string,
): ProfileRun {
  const failure = checkHistories({ profile, histories, seed, path, counts })
  const missing = failure ? [] : wanted[profile].filter((label) => !counts.has(label))
  return { failure, missing }
}

export function describeFailure(failure: Failure, profile: ProfileName): string {
  return [
    `${failure.what}, in history ${failure.histories} of ${profile}`,
    ...failure.commands.map((command) => `  ${JSON.stringify(command)}`),
    `Again: npm run test:model -- --profile ${profile} --seed ${failure.seed} --path ${failure.path}`,
  ].join('\n')
}
