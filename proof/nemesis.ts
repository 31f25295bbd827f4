// Everything that can go wrong, by a seed, for as long as asked: npm run test:nemesis.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { endWhenInterrupted } from './interrupt.ts'
import { customersFor, least, type NemesisOptions, usualOptions } from './nemesis/options.ts'
import { reportText } from './nemesis/report.ts'
import { endWithSeed, kindsOf, runNemesis } from './nemesis/run.ts'
import { numberOf, wholeNumberOf } from './numbers.ts'

const help = `Kills, cuts off, floods and confuses a running gateway, and checks every invariant from outside.

  --minutes N    how long faults come and go (2)
  --seed N       decides everything (another one each time)
  --rate N       webhooks a second (20); sends are half of that
  --workers N    worker processes (2)
  --faults a,b   only these kinds of faults
  --report FILE  where the result goes as JSON
  --keep FOLDER  leave there what the processes wrote, which faults there were, and all that was judged by

Exit code 0: every invariant holds. 1: it does not, no fault began, or the run broke. 2: a flag that cannot be.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(usualOptions.minutes) },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    rate: { type: 'string', default: String(usualOptions.webhooksPerSecond) },
    workers: { type: 'string', default: String(usualOptions.workers) },
    faults: { type: 'string' },
    report: { type: 'string' },
    keep: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(help)
} else {
  const rate = numberOf('rate', values.rate, least)
  const options: NemesisOptions = {
    ...usualOptions,
    seed: wholeNumberOf('seed', values.seed),
    minutes: numberOf('minutes', values.minutes, least),
    webhooksPerSecond: rate,
    sendsPerSecond: rate / 2,
    workers: wholeNumberOf('workers', values.workers, 1),
    customersPerFirm: customersFor(rate),
    ...(values.faults !== undefined && { faults: namesIn(values.faults) }),
    ...(values.keep && { keep: values.keep }),
    say: (line) => console.log(line),
  }
  endWhenInterrupted(values.seed)
  process.exitCode = await endWithSeed(values.seed, () => main(options))
}

/** What is no name is refused like what is no number (numbers.ts). */
function namesIn(text: string): string[] {
  const names = text.split(',')
  try {
    kindsOf(names)
  } catch (error) {
    console.error(`--faults: ${(error as Error).message}`)
    process.exit(2)
  }
  return names
}

async function main(options: NemesisOptions): Promise<number> {
  const report = await runNemesis(options)
  console.log(reportText(report))
  if (values.report) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`)
  return report.violations.length === 0 ? 0 : 1
}
