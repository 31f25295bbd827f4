// What /metrics shows of alerts, read from the database when it is asked for: every process shows the same.
import type { Tx } from '../db/connect.ts'
import type { Metrics } from '../metrics.ts'
import { alertRules } from './rules.ts'
import { countFiring, readEvaluation } from './state-queries.ts'

export async function setAlertGauges(db: Tx, metrics: Metrics, now: Date): Promise<void> {
  const counts = new Map((await countFiring(db)).map(({ rule, count }) => [rule, count]))
  for (const { name: rule } of alertRules) {
    metrics.whole.alertsFiring.set({ rule }, counts.get(rule) ?? 0)
  }
  const evaluatedAt = await readEvaluation(db)
  const ageMs =
    evaluatedAt === null ? Number.POSITIVE_INFINITY : now.getTime() - evaluatedAt.getTime()
  metrics.whole.alertsEvaluatedSeconds.set(Math.max(0, ageMs) / 1000)
}
