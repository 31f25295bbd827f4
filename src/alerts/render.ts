// A message as each kind of channel wants it. Pure.
import { signedHeaders } from '../events/sign.ts'
import type { AlertMessage, ChannelKind, NotificationEvent } from './model.ts'

export interface Call {
  url: string
  headers: Record<string, string>
  body: string
}

export interface Destination {
  kind: ChannelKind
  /** A URL, or PagerDuty's routing key. */
  target: string
  /** Of a webhook. */
  secret: string | null
}

export interface Told {
  /** The same in every attempt. */
  id: string
  event: NotificationEvent | 'test'
  message: AlertMessage
}

export function render(
  { kind, target, secret }: Destination,
  told: Told,
  { now, pagerdutyEventsUrl }: { now: Date; pagerdutyEventsUrl: string },
): Call {
  switch (kind) {
    case 'slack':
      return { url: target, headers: {}, body: JSON.stringify({ text: slackText(told) }) }
    case 'pagerduty':
      return {
        url: pagerdutyEventsUrl,
        headers: {},
        body: JSON.stringify(pagerdutyEvent(target, told)),
      }
    case 'webhook': {
      const { id, event, message } = told
      const envelope = {
        id,
        type: `alert.${event}`,
        version: 1,
        timestamp: now.toISOString(),
        data: message,
      }
      const body = JSON.stringify(envelope)
      if (secret === null) throw new Error('bug: a webhook without its secret')
      return { url: target, headers: signedHeaders([secret], id, now, body), body }
    }
  }
}

const heads: Record<Told['event'], string> = {
  fired: ':rotating_light:',
  repeated: ':rotating_light: Still',
  resolved: ':white_check_mark: Resolved',
  test: ':wave: Test',
}

function slackText({ event, message }: Told): string {
  const { rule, tenant, summary, since, resolved_at, link, runbook } = message
  const whose = tenant === null ? '' : ` · ${escaped(tenant.name)}`
  const until = resolved_at === null ? '' : `, until ${resolved_at}`
  const act = /^https?:/.test(link) ? `<${link}|Act on it>` : escaped(link)
  return [
    `${heads[event]} *${rule}*${whose}`,
    escaped(summary),
    `Since ${since}${until}`,
    `${act} · ${runbook}`,
  ].join('\n')
}

/** Slack's three: what is left is text, and mentions and links nobody. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** PagerDuty's limit. */
const longestSummary = 1024

function pagerdutyEvent(routingKey: string, { event, message }: Told) {
  const { alert_id, rule, tenant, summary, severity, since, link } = message
  const about = tenant === null ? summary : `${tenant.name}: ${summary}`
  return {
    routing_key: routingKey,
    event_action: event === 'resolved' ? 'resolve' : 'trigger',
    // One incident from firing to resolved, however often it is told.
    dedup_key: `estafet-${alert_id}`,
    client: 'Estafet',
    payload: {
      summary: `${rule}: ${about}`.slice(0, longestSummary),
      source: 'estafet',
      severity: event === 'test' ? 'info' : severity,
      timestamp: since,
      component: rule,
      ...(tenant !== null && { group: tenant.id }),
      custom_details: message,
    },
    ...(/^https?:/.test(link) && { links: [{ href: link, text: 'Act on it' }] }),
  }
}
