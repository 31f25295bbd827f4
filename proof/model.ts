// npm run test:model: the core as a model, over as many histories as asked for. Prints its seed first and last.
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { commitOf } from './commit.ts'
import { endWhenInterrupted } from './interrupt.ts'
import type { ProfileName } from './model/history.ts'
import { describeFailure, profileNames, runProfile, shareOf } from './model/report.ts'
import { wholeNumberOf } from './numbers.ts'

const help = `Runs the model of the core (proof/model) over random histories.

  --histories N   how many, over all profiles (1000000)
  --seed S        the same seed makes the same histories (chosen by the clock)
  --profile P     only this one: ${profileNames.join(', ')}
  --path P        with --profile and --seed: the failure that a run has printed
  --help          this text`

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
    profile: { type: 'string' },
    path: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

/** Of one profile, to have reached all that is worth reaching. */
const enough = 12_000

/** Small enough that progress is seen. */
const portion = 20_000

async function run(): Promise<boolean> {
  const seed = wholeNumberOf('seed', values.seed ?? String(Date.now() % 2 ** 31))
  const total = wholeNumberOf('histories', values.histories, 1)
  const chosen = profileNames.filter((name) => (values.profile ?? name) === name)
  if (chosen.length === 0) {
    console.error(`There is no profile ${values.profile}.\n\n${help}`)
    return false
  }
  endWhenInterrupted(String(seed))
  console.log(`seed ${seed}, commit ${commitOf()}`)
  let isFine = true
  for (const profile of chosen) {
    const histories = values.profile === undefined ? shareOf(profile, total) : total
    isFine &&= await runOne(profile, histories, seed, values.path)
  }
  console.log(`seed ${seed}: ${isFine ? 'every invariant held' : 'FAILED'}`)
  return isFine
}

async function runOne(
  profile: ProfileName,
  histories: number,
  seed: number,
  path?: string,
): Promise<boolean> {
  const counts = new Map<string, number>()
  let missing: string[] = []
  for (let done = 0; done < histories; done += portion) {
    const size = Math.min(portion, histories - done)
    const result = runProfile(profile, size, seed + done, counts, path)
    if (result.failure) {
      console.error(describeFailure(result.failure, profile))
      return false
    }
    missing = result.missing
    console.log(`${profile}: ${done + size} of ${histories} histories`)
    // Whoever interrupts is heard.
    await setImmediate()
  }
  for (const [label, count] of [...counts].sort()) console.log(`  ${count} × ${label}`)
  for (const label of missing) console.error(`never reached: ${label}`)
  // A few thousand need not come by everything.
  return missing.length === 0 || histories < enough
}

if (values.help) console.log(help)
else process.exitCode = (await run()) ? 0 : 1
