// Everything that can go wrong, by a seed, for as long as asked: npm run test:nemesis.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { endWhenInterrupted } from './interrupt.ts'
import { customersFor, usualOptions } from './nemesis/options.ts'
import { reportText } from './nemesis/report.ts'
import { endWithSeed, runNemesis } from './nemesis/run.ts'

const help = `Kills, cuts off, floods and confuses a running gateway, and checks every invariant from outside.

  --minutes N    how long faults come and go (2)
  --seed N       decides everything (another one each time)
  --rate N       webhooks a second (20); sends are half of that
  --workers N    worker processes (2)
  --faults a,b   only these kinds of faults
  --report FILE  where the result goes as JSON
  --keep FOLDER  leave there what the processes wrote, which faults there were, and all that was judged by

Exit code 0: every invariant holds. 1: it does not, or the run broke.`

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
  endWhenInterrupted(values.seed)
  process.exitCode = await endWithSeed(values.seed, main)
}

async function main(): Promise<number> {
  const rate = Number(values.rate)
  const report = await runNemesis({
    ...usualOptions,
    seed: Number(values.seed),
    minutes: Number(values.minutes),
    webhooksPerSecond: rate,
    sendsPerSecond: rate / 2,
    workers: Number(values.workers),
    customersPerFirm: customersFor(rate),
    ...(values.faults && { faults: values.faults.split(',') }),
    ...(values.keep && { keep: values.keep }),
    say: (line) => console.log(line),
  })
  console.log(reportText(report))
  if (values.report) await writeFile(values.report, `${JSON.stringify(report, null, 2)}\n`)
  return report.violations.length === 0 ? 0 : 1
}
