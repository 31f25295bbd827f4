// README.md claims nothing that cannot be looked at: its figures are those of bench/results, its tests are there.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isQuick } from '../../bench/defaults.ts'
import { packageRoot } from '../../src/package-root.ts'
import { readJson } from '../support/package.ts'

// biome-ignore lint/suspicious/noExplicitAny: results have fields of every shape.
type Result = any

const result = (name: string): Result => readJson(`bench/results/${name}.json`)
const round = (value: number) => Number(value.toPrecision(2))
const find = (rows: Result[], wanted: Record<string, unknown>): Result =>
  rows.find((row) => Object.entries(wanted).every(([key, value]) => row[key] === value))

/** In the order of the table. */
function figures(): string[] {
  const ingest = find(result('ingest').summary, { connections: 64, variant: 'ours' })
  const { latency, summary } = result('inbound')
  const full = find(summary, { storedMessages: 1_000_000 })
  const outbox = (contender: string) => find(result('outbox').summary, { contender })
  const [ours, graphile, boss] = ['ours', 'graphile-worker', 'pg-boss'].map(outbox)
  const { settings, summary: weather } = result('weather')
  const times = ingest.throughputVsPool10.median.toFixed(1)
  return [
    `${round(ingest.perSecond.median)} a second, p95 ${round(ingest.p95Ms.median)} ms; ${times} times an insert for each`,
    `one at a time p95 ${round(latency.p95Ms)} ms, one pass; ${round(full.processedPerSecond.median)} a second with 1 000 000 stored`,
    `${round(ours.processPerSecond.median)} a second; the queue alone ${round(ours.queueAlonePerSecond.median)}`,
    `graphile-worker ${round(graphile.processPerSecond.median)}, pg-boss ${round(boss.processPerSecond.median)} a second`,
    `${round(ours.smallP95Ms.median)} ms; graphile-worker ${round(graphile.smallP95Ms.median)}, pg-boss ${round(boss.smallP95Ms.median)}`,
    `${round(100 * weather.rate.median)} % of the number's limit, ${weather.overshoot.max <= 1 ? 'never above it' : 'at times above it'}${isQuick('weather', settings) ? '; one short round' : ''}`,
  ]
}

const readme = readFileSync(join(packageRoot, 'README.md'), 'utf8')

test('the table of figures quotes the results, to two digits', () => {
  const [, table = ''] = /^## How fast it is\n([\s\S]*?)^## /m.exec(readme) ?? []
  const rows = [
    ...table.matchAll(/^\|[^|]+\|([^|]+)\| `node dist\/src\/cli\.js bench \w+(?: --quick)?` \|$/gm),
  ]
  expect(rows.map(([, measured = '']) => measured.trim())).toEqual(figures())
})

test('the comparison and what its cells rest on say the same', () => {
  const details = readFileSync(join(packageRoot, 'docs/comparison.md'), 'utf8')
  const [, table = ''] = /^## How it compares\n([\s\S]*?)^¹ /m.exec(readme) ?? []
  const [[, ...peers] = [], , ...rows] = cellsOf(table)
  expect(rows.length).toBeGreaterThan(10)
  // It stands at the head of that page too, for the site has no README.
  const [, again = ''] = /^([\s\S]*?)^¹ /m.exec(details) ?? []
  expect(cellsOf(again)).toEqual(cellsOf(table))
  for (const [title = '', ...answers] of rows) {
    const [, section = ''] =
      details
        .split(new RegExp(`^## ${title.replaceAll("'", '.')}\n`, 'im'))[1]
        ?.match(/^([\s\S]*?)(?=^## |$(?![\s\S]))/m) ?? []
    const said = cellsOf(section)
      .slice(2)
      .map(([peer, answer]) => [peer, answer])
    const shown = peers
      .slice(0, -1)
      .map((peer, at) => [peer, answers[at]?.replace(/ [¹²³⁴⁵]$/, '')])
    expect(said, title).toEqual(shown)
  }
})

const cellsOf = (table: string) =>
  [...table.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim()),
  )

test('every test that is named as evidence is one', () => {
  const tests = ['test/e2e', 'test/docs', 'src'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  )
  const inCommands = [...readme.matchAll(/npx vitest run ([a-z- ]+)`/g)].flatMap(([, names = '']) =>
    names.split(' ').map((name) => ['', name]),
  )
  const inCells = [...readme.matchAll(/: `([a-z]+(?:-[a-z]+)+)` \|$/gm)]
  const named = [...inCommands, ...inCells].map(([, name = '']) => name)
  expect(named.length).toBeGreaterThan(15)
  const matches = (name: string) => tests.filter((path) => path.includes(`/${name}`)).length
  expect(named.filter((name) => matches(name) !== 1)).toEqual([])
})
