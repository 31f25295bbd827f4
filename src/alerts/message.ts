// What is told of an alert: the same facts for every channel.
import { publicId } from '../ids.ts'
import type { AlertMessage, AlertRule } from './model.ts'

export interface AlertFacts {
  id: string
  tenantId: string | null
  subject: string
  since: Date
  firedAt: Date
  resolvedAt: Date | null
  count: number
  summary: string
}

export function messageOf(
  rule: AlertRule,
  alert: AlertFacts,
  tenantName: string | undefined,
  publicUrl: string | undefined,
): AlertMessage {
  const { tenantId, resolvedAt } = alert
  return {
    alert_id: publicId('alt', alert.id),
    rule: rule.name,
    state: resolvedAt === null ? 'firing' : 'resolved',
    severity: rule.severity,
    tenant: tenantId === null ? null : { id: tenantId, name: tenantName ?? tenantId },
    subject: alert.subject || null,
    summary: alert.summary,
    count: alert.count,
    since: alert.since.toISOString(),
    fired_at: alert.firedAt.toISOString(),
    resolved_at: resolvedAt?.toISOString() ?? null,
    link: linkTo(rule.act, tenantId, publicUrl),
    runbook: `docs/runbook.md#${rule.name}`,
  }
}

function linkTo(path: string, tenantId: string | null, publicUrl: string | undefined): string {
  const query = tenantId === null ? '' : `?tenant=${tenantId}`
  return `${publicUrl ?? ''}${path}${query}`
}

/** For whoever asks whether a channel works. */
export function testMessage(
  { id, tenant, now }: { id: string; tenant: AlertMessage['tenant']; now: Date },
  publicUrl: string | undefined,
): AlertMessage {
  const at = now.toISOString()
  return {
    alert_id: publicId('alt', id),
    rule: 'test',
    state: 'firing',
    severity: 'warning',
    tenant,
    subject: null,
    summary: 'This is a test of the channel. Nothing is wrong.',
    count: 0,
    since: at,
    fired_at: at,
    resolved_at: null,
    link: linkTo('/console/overview', tenant?.id ?? null, publicUrl),
    runbook: 'docs/runbook.md',
  }
}
