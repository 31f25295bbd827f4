// Whether the series that a process has are the ones it may have: no label and no value that is not in metrics-labels.ts.
import { alertRules } from '../../src/alerts/rules.ts'
import { codeRows } from '../../src/meta/outcome-table.ts'
import type { Metrics } from '../../src/metrics.ts'
import { metricLabels } from '../../src/metrics-labels.ts'

/** Meta's codes that we know, each as it is or as the range that it is in. */
const codes = new Set([
  ...['none', 'other'],
  ...codeRows.flatMap((row) => row.codes).map((code) => [code].flat().join('-')),
])
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isBounded(label: string, value: string): boolean {
  if (label === 'code') return codes.has(value)
  if (label === 'rule') return alertRules.some(({ name }) => name === value)
  return label === 'tenant' && (value === 'other' || uuid.test(value))
}

export async function checkSeries(metrics: Metrics): Promise<void> {
  const families = await Promise.all(
    [metrics.registry, metrics.whole.registry].map((registry) => registry.getMetricsAsJSON()),
  )
  const strays = families.flat().flatMap(({ name, values }) =>
    name.startsWith('estafet_')
      ? values.flatMap(({ labels }) =>
          Object.entries(labels)
            .filter(([label, value]) => {
              if (label === 'le') return false
              const allowed = metricLabels[name]?.[label]
              if (!allowed) return true
              return 'boundedBy' in allowed
                ? !isBounded(label, String(value))
                : !allowed.includes(String(value))
            })
            .map(([label, value]) => `${name}{${label}="${value}"}`),
        )
      : [],
  )
  if (strays.length > 0) throw new Error(`series that nobody declared: ${strays.join(', ')}`)
}
