// npm run test:model: the core as a model, over as many histories as asked for. Prints its seed first and last.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { packageRoot } from '../src/package-root.ts'
import { afterFile } from '../test/support/after-file.ts'
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
  --conformance N instead: N histories in the model and in Postgres, compared after every command (a tenth of a second each)
  --help          this text`

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '1000000' },
    seed: { type: 'string' },
    profile: { type: 'string' },
    path: { type: 'string' },
    conformance: { type: 'string' },
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
  const compared =
    values.conformance === undefined
      ? undefined
      : wholeNumberOf('conformance', values.conformance, 1)
  endWhenInterrupted(String(seed))
  console.log(`seed ${seed}, commit ${commitOf()}`)
  if (compared !== undefined) {
    const isTrue = await compare(compared, seed)
    console.log(`seed ${seed}: ${isTrue ? 'Postgres is what the model says' : 'FAILED'}`)
    return isTrue
  }
  let isFine = true
  for (const profile of chosen) {
    const histories = values.profile === undefined ? shareOf(profile, total) : total
    isFine &&= await runOne(profile, histories, seed, values.path)
  }
  console.log(`seed ${seed}: ${isFine ? 'every invariant held' : 'FAILED'}`)
  return isFine
}

/** In a run of Vitest, which has a Postgres for it. */
async function compare(histories: number, seed: number): Promise<boolean> {
  const program = join(packageRoot, 'node_modules', '.bin', 'vitest')
  const args = ['run', 'proof/model/conformance.test.ts', '--testTimeout=0']
  const child = spawn(program, args, {
    cwd: packageRoot,
    stdio: 'inherit',
    // biome-ignore lint/style/noProcessEnv: for vitest, not the gateway's settings.
    env: { ...process.env, SEED: String(seed), CONFORMANCE: String(histories) },
  })
  const ended = once(child, 'close')
  afterFile(async () => {
    child.kill('SIGINT')
    await ended
  })
  const [code] = await ended
  return code === 0
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
