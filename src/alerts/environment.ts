// The operator's default channels, from SLACK_WEBHOOK_URL and PAGERDUTY_ROUTING_KEY. Each has a row like any other, so that
// its queue and its health are where everybody's are; its target stays in the environment.
import type { Tx } from '../db/connect.ts'
import { deleteEnvironmentChannels, insertEnvironmentChannel } from './channel-queries.ts'
import { hintOf } from './hint.ts'

export interface EnvironmentChannel {
  /** The same in every process and for ever. */
  id: string
  kind: 'slack' | 'pagerduty'
  target: string
}

export function environmentChannels(config: {
  slackWebhookUrl?: string | undefined
  pagerdutyRoutingKey?: string | undefined
}): EnvironmentChannel[] {
  const { slackWebhookUrl, pagerdutyRoutingKey } = config
  const channels: EnvironmentChannel[] = []
  if (slackWebhookUrl !== undefined) {
    const id = '00000000-0000-4000-8000-000000000001'
    channels.push({ id, kind: 'slack', target: slackWebhookUrl })
  }
  if (pagerdutyRoutingKey !== undefined) {
    const id = '00000000-0000-4000-8000-000000000002'
    channels.push({ id, kind: 'pagerduty', target: pagerdutyRoutingKey })
  }
  return channels
}

/** A setting that is gone takes its channel along, with what waited for it. */
export async function keepEnvironmentChannels(
  db: Tx,
  channels: EnvironmentChannel[],
  now: Date,
): Promise<void> {
  await deleteEnvironmentChannels(
    db,
    channels.map(({ id }) => id),
  )
  for (const { id, kind, target } of channels) {
    await insertEnvironmentChannel(db, { id, kind, hint: hintOf(kind, target), createdAt: now })
  }
}
