// docs/speed.md and its pictures, from the results alone: the same results give the same bytes.
import { barChart } from './bar-chart.ts'
import { chartsOf } from './charts.ts'
import { costTable } from './cost-report.ts'
import { differencesText } from './defaults.ts'
import { healthTable } from './health-report.ts'
import { inboundTable } from './inbound-report.ts'
import { ingestTable } from './ingest-report.ts'
import { outboxTable } from './outbox-report.ts'
import type { Published, Report, ScenarioName } from './published.ts'
import { spreadText, type Target } from './report.ts'
import { weatherTable } from './weather-report.ts'

const headings: Record<ScenarioName, [title: string, question: string]> = {
  ingest: [
    'Taking webhooks in',
    'A signed webhook is answered once its row is committed. Estafet commits many in one transaction. Beside it: the same server with a row a commit, which is what one would write first, with 10 and with 20 connections to the database; the same rows written by pgbench, without a server; and a server that answers without a database, which nothing can beat.',
  ],
  inbound: [
    'From webhook to message',
    'What a webhook costs until its message can be read, and whether that grows with what is stored.',
  ],
  outbox: [
    'Sending',
    'The send queue beside two general job queues on Postgres, graphile-worker and pg-boss, in the same run on the same payloads. They win at raw throughput, and are meant to: their jobs do nothing here, while a send of ours keeps order, caps, attempts and a log. What ours is built for is in the first picture: a small tenant does not wait until another’s bulk is through.',
  ],
  weather: [
    'In bad weather',
    'Half of the numbers are answered slowly, throttled or refused. Do the others notice? And does a backlog go out at the agreed pace after an outage, neither faster nor much slower?',
  ],
  health: ['Health', 'Monitoring asks every few seconds, above all when there is much to count.'],
  cost: [
    'What a message costs',
    'In things that can be counted, whatever the machine: what a managed Postgres and Cloud Tasks are paid by. [Deployment](deployment.md#what-a-message-costs) reckons with them.',
  ],
}

export function tableText(report: Report): string {
  switch (report.bench) {
    case 'ingest':
      return ingestTable(report)
    case 'inbound':
      return inboundTable(report)
    case 'outbox':
      return outboxTable(report)
    case 'weather':
      return weatherTable(report)
    case 'health':
      return healthTable(report)
    case 'cost':
      return costTable(report)
  }
}

/** By path from the folder of the documents. */
export function renderPage(results: Published[]): Map<string, string> {
  const files = new Map<string, string>()
  const sections = results.flatMap((report) => {
    const pictures = Object.entries(chartsOf(report)).map(([name, chart]) => {
      const path = `pictures/bench-${name}.svg`
      files.set(path, barChart(chart))
      return `![${chart.title}: ${chart.subtitle}](${path})`
    })
    return sectionOf(report, pictures)
  })
  const targets = results.flatMap((report) => report.targets)
  files.set('speed.md', [...introduction(targets), ...sections].join('\n'))
  return files
}

function introduction(targets: Target[]): string[] {
  const count = (verdict: boolean | undefined) =>
    targets.filter(({ isMet }) => isMet === verdict).length
  const unmeasured = count(undefined) > 0 ? `, ${count(undefined)} were not measured` : ''
  return [
    '# Speed',
    '',
    'What Estafet costs, measured beside what one would write first and beside others, in the same run on the same machine,',
    'in turns. **Only the ratios mean anything**: another machine, or a busy one, gives other figures, and the same run twice',
    'differs by ten to thirty percent, some counts by more. Every figure is the median over the rounds, with the least and the',
    'most in parentheses, unless it says otherwise.',
    '',
    `Of ${targets.length} targets that were set beforehand, ${count(true)} are met and ${count(false)} are missed${unmeasured}. Those stand here too.`,
    '',
    'This page and its pictures are made from `bench/results/*.json`, and a test says when they are not. To measure anew:',
    '',
    '```sh elsewhere',
    'npm run bench                    # everything; let it have an idle machine',
    'npm run bench -- --quick         # a first look, in minutes; changes no file here',
    'npm run bench -- --render-only   # this page from the results there are',
    'node dist/src/cli.js bench ingest  # one of them; --help names its options',
    '```',
    '',
    'Postgres is started for the run, with fsync on and its files on the machine’s disk. Nothing else is needed; pgbench is',
    'used where it is installed.',
    '',
  ]
}

function sectionOf(report: Published, pictures: string[]): string[] {
  const [title, question] = headings[report.bench]
  return [
    `## ${title}`,
    '',
    question,
    '',
    ...pictures.flatMap((picture) => [picture, '']),
    '```text',
    tableText(report),
    '```',
    '',
    ...targetTable(report.targets),
    runText(report),
    '',
    ...report.notes.flatMap((note) => [`- ${note}`]),
    ...(report.notes.length > 0 ? [''] : []),
  ]
}

function targetTable(targets: Target[]): string[] {
  if (targets.length === 0) return []
  return ['| target | limit | measured | |', '|---|---|---|---|', ...targets.map(targetRow), '']
}

function targetRow({ target, limit, measured, unit = '×', isMet }: Target): string {
  const verdict = isMet === undefined ? 'not measured' : isMet ? 'met' : '**missed**'
  return `| ${target.replace(/[:,]? (at most|at least|below)$/, '')} | ${bound(target)} ${limit}${unit} | ${spreadText(measured, unit)} | ${verdict} |`
}

const bound = (target: string) => /(at most|at least|below)$/.exec(target)?.[1] ?? ''

function runText({ bench, machine, settings, at, commit, tookSeconds }: Published): string {
  const { cores, memoryGib, platform, node, postgres } = machine
  const rounds = Number(settings.rounds)
  const differences = differencesText(bench, settings)
  return [
    `\`estafet bench ${bench}\`: ${rounds === 1 ? 'one round' : `${rounds} rounds`}`,
    ...(tookSeconds === undefined ? [] : [`, ${Math.ceil(tookSeconds / 60)} min`]),
    `, on ${cores} cores, ${memoryGib} GiB, ${platform}, Node ${node}, Postgres ${postgres}`,
    ...(at === undefined ? [] : [`, ${at.slice(0, 10)}`]),
    ...(commit ? [`, commit ${commit}`] : []),
    ...(differences === '' ? [] : [`; ${differences}`]),
    '.',
  ].join('')
}
