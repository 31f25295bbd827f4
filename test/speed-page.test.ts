// docs/speed.md and its pictures tell what bench/results has, no more and no less.
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { barChart } from '../bench/bar-chart.ts'
import { chartsOf } from '../bench/charts.ts'
import { defaults } from '../bench/defaults.ts'
import { renderPage } from '../bench/page.ts'
import { type Published, scenarios } from '../bench/published.ts'

const root = new URL('..', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const results: Published[] = scenarios.map((name) => JSON.parse(read(`bench/results/${name}.json`)))

describe('the page about speed', () => {
  test('is made from the results; if not: npm run bench -- --render-only', () => {
    const files = renderPage(results)
    for (const [path, text] of files) expect(read(`docs/${path}`), path).toBe(text)
    const pictures = readdirSync(new URL('docs/pictures', root)).filter((name) =>
      /^bench-.*\.svg$/.test(name),
    )
    expect(pictures.map((name) => `pictures/${name}`).sort()).toEqual(
      [...files.keys()].filter((path) => path.endsWith('.svg')).sort(),
    )
  })

  test('names every target, and those that are missed as missed', () => {
    const page = renderPage(results).get('speed.md') ?? ''
    const targets = results.flatMap((report) => report.targets)
    const count = (verdict: string) => page.split(` | ${verdict} |`).length - 1
    expect(count('met')).toBe(targets.filter(({ isMet }) => isMet === true).length)
    expect(count('**missed**')).toBe(targets.filter(({ isMet }) => isMet === false).length)
    expect(page).not.toMatch(/undefined|NaN/)
    const counted = `Of ${targets.length} targets that were set beforehand, ${count('met')} are met and ${count('**missed**')} are missed`
    expect(page).toContain(`${counted}. `)
  })

  test('counts no target as met that was not measured', () => {
    const [first] = results.filter(({ bench }) => bench === 'weather')
    if (!first) throw new Error('bug: no results')
    const verdicts = [true, false, undefined, undefined, true]
    const targets = first.targets.map((target, index) => ({ ...target, isMet: verdicts[index] }))
    const page = renderPage([{ ...first, targets } as Published]).get('speed.md')
    expect(page).toContain(
      'Of 5 targets that were set beforehand, 2 are met and 1 are missed, 2 were not measured. ',
    )
  })

  test('has the time of single messages, and says how it was taken', () => {
    const page = renderPage(results).get('speed.md') ?? ''
    const [inbound] = results.filter(({ bench }) => bench === 'inbound')
    if (inbound?.bench !== 'inbound') throw new Error('bug: no results')
    const { p50Ms, p95Ms, p99Ms } = inbound.latency
    expect(page).toContain(
      `\none at a time, 10000 stored: p50 ${p50Ms} / p95 ${p95Ms} / p99 ${p99Ms} ms, one pass of 300\n`,
    )
  })

  test('says what the small tenants’ ratio hangs on', () => {
    const page = renderPage(results).get('speed.md') ?? ''
    expect(page).toContain('50 of them add 20 messages each while a busy one has 50000 waiting')
  })

  test('tells date, commit and duration of results that have them', () => {
    const [first] = results
    if (!first) throw new Error('bug: no results')
    const run = { at: '2030-01-31T09:00:00.000Z', commit: 'abc1234', tookSeconds: 61 }
    const page = renderPage([{ ...first, ...run }]).get('speed.md')
    expect(page).toMatch(/, 2 min, on .*, 2030-01-31, commit abc1234[.;]/m)
  })

  test('says of each result whether it was made as the command makes it by default', () => {
    const [first] = results.filter(({ bench }) => bench === 'health')
    if (!first) throw new Error('bug: no results')
    const told = (settings: Record<string, unknown>) =>
      /, Postgres [\d.]+(?:, [\d-]{10})?(?:, commit \w+)?(.*)\.$/m.exec(
        renderPage([{ ...first, settings }]).get('speed.md') ?? '',
      )?.[1]
    const { full, quick } = defaults.health
    expect(told(full)).toBe('')
    expect(told(quick)).toMatch(/^; made with `--quick`/)
    expect(told({ ...full, rows: 7 })).toBe(
      '; otherwise than by default: rows 7 instead of 1000000',
    )
  })
})

describe('a picture', () => {
  test('says in words what it shows, and keeps every text inside', () => {
    for (const chart of results.flatMap((report) => Object.values(chartsOf(report)))) {
      const svg = barChart(chart)
      expect(svg).toContain(`<title id="title">${chart.title}</title>`)
      expect(svg).toMatch(/<desc id="desc">.{40,}\.<\/desc>/)
      expect(svg).toContain('prefers-color-scheme: dark')
      const width = Number(/ width="(\d+)"/.exec(svg)?.[1])
      for (const [, x, text = ''] of svg.matchAll(/<text x="([\d.]+)" y="[\d.]+">([^<]*)</g)) {
        // Digits and letters of this size are about 7 wide.
        expect(Number(x) + text.length * 7, text).toBeLessThan(width)
      }
    }
  })

  test('escapes what would be markup, and leaves out what was not measured', () => {
    const one = { median: 2, min: 1, max: 3 }
    const svg = barChart({
      title: 'a < b & c',
      subtitle: 'x',
      unit: 'ms',
      bars: [
        { label: 'there', value: one, isOurs: true },
        { label: 'absent', value: undefined, isOurs: false },
      ],
    })
    expect(svg).toContain('a &lt; b &amp; c')
    expect(svg).toContain('there: 2 ms, between 1 and 3.')
    expect(svg).not.toContain('absent')
  })
})
