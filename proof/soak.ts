// A rate held for as long as asked, with a fault a minute: what grows, and every invariant at the end. npm run test:soak.
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { endWhenInterrupted } from './interrupt.ts'
import { createMeasuring, largest, trendsOf, trendsText } from './nemesis/measure.ts'
import { customersFor, least, type NemesisOptions, usualOptions } from './nemesis/options.ts'
import { reportText } from './nemesis/report.ts'
import { endWithSeed, runNemesis } from './nemesis/run.ts'
import { numberOf, wholeNumberOf } from './numbers.ts'

const help = `Holds a rate with a fault a minute, and reports memory, claim time, table sizes and every invariant.

  --minutes N    how long (10)
  --rate N       webhooks a second (20); sends are half of that
  --seed N       decides everything (another one each time)
  --report FILE  where the result goes as JSON

Exit code 0: every invariant holds. 1: it does not, something could not be measured, or the run broke.
2: a flag that cannot be.`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: String(usualOptions.webhooksPerSecond) },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    report: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(help)
} else {
  const rate = numberOf('rate', values.rate, least)
  const options: NemesisOptions = {
    ...usualOptions,
    customersPerFirm: customersFor(rate),
    seed: wholeNumberOf('seed', values.seed),
    minutes: numberOf('minutes', values.minutes, least),
    webhooksPerSecond: rate,
    sendsPerSecond: rate / 2,
    most: 1,
    breath: [45, 55],
    // With a fault a minute, an hour does not see them all.
    needsAll: false,
    say: (line) => console.log(line),
  }
  endWhenInterrupted(values.seed)
  process.exitCode = await endWithSeed(values.seed, () => main(options))
}

async function main(options: NemesisOptions): Promise<number> {
  const measuring = createMeasuring()
  const report = await runNemesis({ ...options, beside: measuring.watch })
  report.violations.push(...measuring.failures)
  const trends = trendsOf(measuring.series.values())
  console.log(reportText(report))
  console.log(trendsText(largest(trends)))
  if (values.report) {
    await writeFile(values.report, `${JSON.stringify({ ...report, trends }, null, 2)}\n`)
  }
  return report.violations.length === 0 ? 0 : 1
}
