// Dashboard, alerting rules, runbook and metrics speak of the same things, each of all of them.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createMetrics } from '../src/metrics.ts'
import { metricLabels } from '../src/metrics-labels.ts'
import { namesIn } from './support/promql.ts'

const root = new URL('..', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

interface Metric {
  name: string
  type: string
  labelNames: string[]
}

const { registry, whole } = createMetrics()
const metrics = [registry, whole.registry].flatMap(
  (one) => one.getMetricsAsArray() as unknown as Metric[],
)
const byName = new Map(metrics.map((metric) => [metric.name, metric]))
const ours = metrics.filter(({ name }) => name.startsWith('estafet_'))

interface Panel {
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string; datasource: { uid: string } }[]
  panels?: Panel[]
}

const dashboard: {
  uid: string
  templating: { list: { name: string; type: string }[] }
  panels: (Panel & { id: number })[]
} = JSON.parse(read('deploy/grafana/estafet.json'))
const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])])
const shown = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}

const rules: Rule[] = parse(read('deploy/prometheus/rules.yaml')).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
)

const runbook = read('docs/runbook.md')
const headings = [...runbook.matchAll(/^#{2,4} +`?([A-Za-z_]+)`?$/gm)].map(([, name]) => name ?? '')
/** Of what every Node program has, the dashboard shows these; the rest is for who looks closer. */
const shownOfNode = [
  ...['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'],
  ...['nodejs_eventloop_lag_p99_seconds', 'nodejs_gc_duration_seconds'],
]

/** A series of a histogram has its metric's name and a suffix. */
function metricOf(name: string): Metric | undefined {
  const histogram = byName.get(name.replace(/_(bucket|sum|count)$/, ''))
  return byName.get(name) ?? (histogram?.type === 'histogram' ? histogram : undefined)
}

/** What Prometheus itself adds to everything it scrapes. */
const added = ['job', 'instance']

/** What an expression names and we do not have. */
function strangersIn(expression: string): string[] {
  const { series, groupedBy } = namesIn(expression)
  const known = series.filter(({ metric }) => metric !== 'up')
  const labels = new Set([...added, ...known.flatMap(({ metric }) => labelsOf(metric))])
  return [
    ...known.filter(({ metric }) => !metricOf(metric)).map(({ metric }) => metric),
    ...known.flatMap(({ metric, labels }) =>
      labels
        .filter((label) => ![...added, ...labelsOf(metric)].includes(label))
        .map((label) => `${metric}{${label}}`),
    ),
    ...groupedBy.filter((label) => !labels.has(label)).map((label) => `by (${label})`),
  ]
}

function labelsOf(name: string): string[] {
  const metric = metricOf(name)
  return [...(metric?.labelNames ?? []), ...(metric?.type === 'histogram' ? ['le'] : [])]
}

/** Values that a selector compares a label with, and that the label never has. */
function impossibleValuesIn(expression: string): string[] {
  return [...expression.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', selectors = '']) =>
    [...selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].flatMap(
      ([, label = '', value = '']) => {
        const values = metricLabels[metric]?.[label]
        if (!values || 'boundedBy' in values) return []
        return value
          .split('|')
          .filter((one) => !values.includes(one))
          .map((one) => `${metric}{${label}="${one}"}`)
      },
    ),
  )
}

describe('the reader of PromQL', () => {
  test.each([
    ['sum by (a, b) (rate(x_total{a="1", c=~"2|3"}[5m])) > 0', ['x_total a,c'], ['a', 'b']],
    ['max(x) / on (a) group_left sum(y{}) or absent(up == 1)', ['x ', 'y ', 'up '], ['a']],
    [
      'histogram_quantile(0.95, sum by (le) (rate(x_bucket[$__rate_interval])))',
      ['x_bucket '],
      ['le'],
    ],
    ['max without (instance) (x offset 5m unless y)', ['x ', 'y '], ['instance']],
  ])('%s', (expression, series, groupedBy) => {
    const named = namesIn(expression)
    expect(named.series.map(({ metric, labels }) => `${metric} ${labels}`)).toEqual(series)
    expect(named.groupedBy).toEqual(groupedBy)
  })

  test('finds what we do not have', () => {
    expect(
      strangersIn('sum by (colour) (rate(estafet_sends_total{shape="1"}[5m])) / estafet_nothing'),
    ).toEqual(['estafet_nothing', 'estafet_sends_total{shape}', 'by (colour)'])
    expect(impossibleValuesIn('estafet_accounts{job="x", state=~"ok|well"}')).toEqual([
      'estafet_accounts{state="well"}',
    ])
  })
})

describe('the metrics', () => {
  test('of ours have a list of values for every label', () => {
    for (const { name, labelNames } of ours) {
      expect([name, Object.keys(metricLabels[name] ?? {}).sort()]).toEqual([
        name,
        [...labelNames].sort(),
      ])
    }
    expect(Object.keys(metricLabels).filter((name) => !byName.has(name))).toEqual([])
  })

  test('bear the unit or _total in their names, as Prometheus wants it', () => {
    for (const { name, type } of ours) {
      if (type === 'counter') expect(name).toMatch(/_total$/)
      else expect(name).not.toMatch(/_total$/)
      if (type === 'histogram') expect(name).toMatch(/_seconds$/)
    }
  })
})

describe('the dashboard', () => {
  test('can be imported: a data source to choose, panels with ids of their own that do not overlap', () => {
    expect(dashboard.templating.list.map(({ name, type }) => `${name} ${type}`)).toContain(
      'datasource datasource',
    )
    const ids = panels.map((panel) => (panel as { id?: number }).id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { targets = [] } of panels) {
      for (const { datasource } of targets) expect(datasource.uid).toMatch(/^\$\{datasource\}$/)
    }
    const places = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24)
      return Array.from(
        { length: w * h },
        (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`,
      )
    })
    expect(new Set(places).size).toBe(places.length)
  })

  test.each(shown)('shows what there is: %s', (expression) => {
    expect(strangersIn(expression)).toEqual([])
    expect(impossibleValuesIn(expression)).toEqual([])
  })

  test('shows every metric of ours, and of Node’s what tells how a process is', () => {
    const onIt = new Set(
      shown.flatMap((expression) =>
        namesIn(expression).series.map(({ metric }) => metricOf(metric)?.name),
      ),
    )
    const wanted = [...ours.map(({ name }) => name), ...shownOfNode]
    expect(wanted.filter((name) => !onIt.has(name))).toEqual([])
    expect(shownOfNode.filter((name) => !byName.has(name))).toEqual([])
  })
})

describe('the alerting rules', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s',
    (name, { expr, labels, annotations }) => {
      expect(name).toMatch(/^Estafet(?:[A-Z][a-z]+)+$/)
      expect(strangersIn(expr)).toEqual([])
      expect(impossibleValuesIn(expr)).toEqual([])
      expect(['critical', 'warning']).toContain(labels.severity)
      expect(annotations.summary).not.toBe('')
      const section = annotations.runbook_url.replace('docs/runbook.md#', '')
      expect([snakeOf(name), name.toLowerCase()]).toContain(section)
    },
  )

  test('have names of their own', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  test('are scraped for with an operator key', () => {
    const { scrape_configs, rule_files } = parse(read('deploy/prometheus/prometheus.yaml'))
    expect(rule_files).toEqual(['rules.yaml'])
    expect(scrape_configs).toMatchObject([
      { job_name: 'estafet', metrics_path: '/metrics', authorization: { type: 'Bearer' } },
    ])
  })
})

describe('the runbook', () => {
  test('has a section for every alert, and none for one that there is not', async () => {
    const engine = await engineRules()
    const alone = rules.map(({ alert }) => alert).filter((name) => !engine.includes(snakeOf(name)))
    const sections = headings.filter((name) => /^Estafet|^[a-z]+(?:_[a-z]+)+$/.test(name))
    expect(sections.toSorted()).toEqual([...engine, ...alone].toSorted())
    const anchors = headings.map((heading) => heading.toLowerCase())
    const pointedAt = rules.map(({ annotations }) => annotations.runbook_url.split('#')[1] ?? '')
    expect(pointedAt.filter((anchor) => !anchors.includes(anchor))).toEqual([])
  })
})

function snakeOf(alert: string): string {
  return alert
    .replace(/^Estafet/, '')
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .slice(1)
}

/** Names of the rules of our own alert engine. */
async function engineRules(): Promise<string[]> {
  const file = new URL('src/alerts/rules.ts', root)
  if (!existsSync(file)) return []
  const { alertRules } = await import(file.href)
  const list: (string | { name: string })[] = Array.isArray(alertRules)
    ? alertRules
    : Object.keys(alertRules)
  return list.map((rule) => (typeof rule === 'string' ? rule : rule.name))
}
