// I19: what happened is told, to all who want it, in its order. Which causes must be told says docs/event-webhooks.md.
import type { Evidence, Rows } from './evidence.ts'
import { groups, repeated } from './groups.ts'

/** Every cause has its event; all who want it hear it, in the order of its conversation; who hears it twice hears the same id. */
export function checkEvents({ client, rows }: Pick<Evidence, 'client' | 'rows'>): string[] {
  const violations = [...checkCauses(rows), ...checkRouted(rows)]
  if (rows.deliveries.length === 0) return violations
  const heard = new Set(client.events.map(({ id }) => id))
  const wanted = new Set(rows.deliveries.map(({ eventId }) => idOf(eventId)))
  for (const id of wanted) if (!heard.has(id)) violations.push(`events: ${id} was never heard`)
  const laneOf = new Map(rows.events.map(({ id, lane }) => [idOf(id), lane]))
  const told = rows.events.map(({ id }) => idOf(id)).filter((id) => heard.has(id))
  const order = groups(told, (id) => laneOf.get(id) ?? '')
  for (const [lane, ids] of groups(heard, (id) => laneOf.get(id) ?? '')) {
    if (lane === '' || ids.join() === order.get(lane)?.join()) continue
    violations.push(`events: those of ${lane} were heard out of their order`)
  }
  return violations
}

function checkCauses(rows: Rows): string[] {
  const received = rows.events.flatMap(({ type, messageId }) =>
    type === 'message.received' && messageId !== null ? messageId : [],
  )
  const recorded = new Set(received)
  const told = groups(
    rows.events.filter(({ type }) => type === 'message.status'),
    ({ messageId }) => messageId ?? '',
  )
  const letters = new Set(rows.events.map(({ letterId }) => letterId))
  const accounts = new Set(rows.events.map(({ accountId }) => accountId))
  const sent = new Set(rows.sends.map(({ messageId }) => messageId))
  return [
    ...rows.messages
      .filter(({ direction, id }) => direction === 'inbound' && !recorded.has(messageNameOf(id)))
      .map(({ wamid }) => `events: nobody is told of the message ${wamid}`),
    ...repeated(received).map((id) => `events: the message ${id} is told as two events`),
    // Steps that Meta reports together may be told as one, the highest: what was told last is what it is now.
    ...rows.messages.flatMap(({ id, status }) => {
      const last = told.get(messageNameOf(id))?.at(-1)?.status ?? 'queued'
      if (!sent.has(id) || last === status) return []
      return `events: the message ${id} is ${status}, and what was told last is ${last}`
    }),
    ...rows.letters
      .filter(({ id, hasTenant }) => hasTenant && !letters.has(id))
      .map(({ id }) => `events: nobody is told of the dead letter ${id}`),
    ...rows.accounts
      .filter(({ id }) => !accounts.has(id))
      .map(({ id }) => `events: nobody is told of the account ${id}`),
  ]
}

function checkRouted(rows: Rows): string[] {
  const delivered = new Set(rows.deliveries.map(({ eventId }) => eventId))
  return rows.events
    .filter(({ id, position, isWanted }) => isWanted && position !== null && !delivered.has(id))
    .map(({ id }) => `events: ${idOf(id)} is on its way to nobody, though somebody wants it`)
}

const idOf = (uuid: string) => `evt_${uuid.replaceAll('-', '')}`
const messageNameOf = (uuid: string) => `msg_${uuid.replaceAll('-', '')}`
