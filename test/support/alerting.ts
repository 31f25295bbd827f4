// Whoever is told of alerts: a Slack, a PagerDuty or a webhook, over HTTP; and time that passes between two looks.
import { type EventReceiver, startEventReceiver } from './event-receiver.ts'
import { operatorKey, type TestGateway, type TestTenant } from './gateway.ts'

export interface Listener extends EventReceiver {
  /** What it took, by rule: `rate_limited fired`. Slack says it in words, the others in fields. */
  heard(): string[]
}

export async function startListener(): Promise<Listener> {
  const receiver = await startEventReceiver()
  let isUp = true
  const taken: string[] = []
  receiver.react((call) => {
    if (!isUp) return { status: 503 }
    taken.push(saidIn(call.event))
    return { body: 'ok' }
  })
  return {
    ...receiver,
    heard: () => taken,
    react: (by) => {
      isUp = false
      receiver.react(by)
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: each kind has a shape of its own.
function saidIn(body: any): string {
  if (typeof body.text === 'string') {
    const rule = /\*(\w+)\*/.exec(body.text)?.[1]
    if (body.text.startsWith(':white_check_mark:')) return `${rule} resolved`
    if (body.text.startsWith(':wave:')) return `${rule} test`
    return `${rule} ${body.text.includes(' Still ') ? 'repeated' : 'fired'}`
  }
  if (body.routing_key !== undefined) {
    return `${body.payload.component} ${body.event_action === 'resolve' ? 'resolved' : 'fired'}`
  }
  return `${body.data.rule} ${body.type.replace('alert.', '')}`
}

export async function addChannel(
  gateway: TestGateway,
  { id }: Pick<TestTenant, 'id'>,
  channel: { kind: 'slack' | 'pagerduty' | 'webhook'; target: string },
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
): Promise<any> {
  const path = `/api/admin/tenants/${id}/alert-channels`
  const answer = await gateway.call('POST', path, { key: operatorKey, body: channel })
  if (answer.status !== 201) throw new Error(`a channel was answered ${answer.text}`)
  return answer.json
}
