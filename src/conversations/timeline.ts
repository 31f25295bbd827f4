// What a message went through: what we know ourselves, and what Meta told.
import type { MessageRow } from './read-queries.ts'

type Dated = Pick<
  MessageRow,
  'direction' | 'status' | 'occurred_at' | 'created_at' | 'accepted_at' | 'ended_at'
>

export function timelineOf(row: Dated, steps: { status: string; at: Date }[]) {
  const start =
    row.direction === 'inbound'
      ? { status: 'received', at: row.occurred_at.toISOString() }
      : { status: 'queued', at: row.created_at.toISOString() }
  const told = new Set(steps.map((step) => step.status))
  const own = [
    { status: 'sent', at: row.accepted_at },
    // How it ended is what it shows, unless Meta said so itself.
    { status: row.status, at: row.ended_at },
  ]
  // What we know ourselves counts until Meta tells: its times are whole seconds, and its own.
  const reached = [
    ...own.flatMap(({ status, at }) => (at === null || told.has(status) ? [] : [{ status, at }])),
    ...steps.filter((step) => step.status !== start.status),
  ]
  return [start, ...reached.map(({ status, at }) => ({ status, at: at.toISOString() }))]
}
