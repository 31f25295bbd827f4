// docs/metrics.md: every metric of a process, as its registries have them.
import { createMetrics } from '../../src/metrics.ts'
import { type LabelValues, metricLabels } from '../../src/metrics-labels.ts'
import { code, page, printedNote, table } from './table.ts'

interface Metric {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram' | 'summary'
  labelNames: string[]
}

export function metricsMarkdown(): string {
  const { registry, whole } = createMetrics()
  const own = registry.getMetricsAsArray() as unknown as Metric[]
  const isOurs = ({ name }: Metric) => name.startsWith('estafet_')
  return page(
    '# Metrics',
    '',
    '`GET /metrics` of every process, in every role, with an operator key, in the text format of Prometheus.',
    printedNote,
    '',
    'Labels are closed sets: numbers, people and words of others never become one. Tenants do only with `METRICS_TENANTS`,',
    'so many at most, the busiest first, and all others as `other`. What to do when one is wrong is in the',
    '[runbook](runbook.md); a dashboard and alerting rules are in `deploy/`.',
    '',
    '## Of the process',
    '',
    'Counted by the process itself: sum them over all processes. Counters begin at 0.',
    '',
    ...rows(own.filter(isOurs)),
    '',
    '## Of the whole installation',
    '',
    'Read from the database at most once a second, the same in every process: take the maximum. They cost the same however',
    'much is stored, and are left out while the database does not answer: an old number would be a lie.',
    '',
    ...rows(whole.registry.getMetricsAsArray() as unknown as Metric[]),
    '',
    '## Of every Node program',
    '',
    'Memory, garbage collection, event loop and CPU, under the names that every dashboard for Node knows.',
    '',
    ...rows(own.filter((metric) => !isOurs(metric))),
  )
}

function rows(metrics: Metric[]): string[] {
  return table(
    ['metric', 'type', 'labels', 'tells'],
    metrics.map(({ name, type, labelNames, help }) => {
      const labels = labelNames.map((label) => labelText(label, metricLabels[name]?.[label], help))
      return [code(name), type, labels.join('; '), marked(name, help)]
    }),
  )
}

/** Without the values where the words beside it name each of them. */
function labelText(label: string, values: LabelValues | undefined, help: string): string {
  if (values === undefined) return code(label)
  if ('boundedBy' in values) return `${code(label)} (bounded by ${marked('', values.boundedBy)})`
  const words: string[] = help.match(/\w+/g) ?? []
  if (values.every((value) => words.includes(value))) return code(label)
  return `${code(label)}: ${values.map(code).join(', ')}`
}

/** A label's values, settings and files, shown as what they are. */
function marked(metric: string, help: string): string {
  const values = Object.values(metricLabels[metric] ?? {}).flatMap((list) =>
    'boundedBy' in list ? [] : list,
  )
  return help
    .replace(/\w+/g, (word) => (values.includes(word) ? code(word) : word))
    .replace(/\b(?:[A-Z]+_[A-Z_]+|[a-z]+\/[a-z-]+\.ts)\b/g, code)
}
