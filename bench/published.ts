// A result as it is kept in bench/results.
import type { CostReport } from './cost-report.ts'
import type { HealthReport } from './health-report.ts'
import type { InboundReport } from './inbound-report.ts'
import type { IngestReport } from './ingest-report.ts'
import type { OutboxReport } from './outbox-report.ts'
import type { WeatherReport } from './weather-report.ts'

export type Report =
  | IngestReport
  | InboundReport
  | OutboxReport
  | WeatherReport
  | HealthReport
  | CostReport

/** What is written down about a run beside what it measured. Results of before this was kept have none of it. */
export interface RunFacts {
  at?: string
  commit?: string | null
  tookSeconds?: number
}
export type Published = Report & RunFacts

export const scenarios = ['ingest', 'inbound', 'outbox', 'weather', 'health', 'cost'] as const
export type ScenarioName = (typeof scenarios)[number]
