// The quiet at the end: every fault is healed, nothing new comes, and everything that is under way has to come to its end.
import { type Db, sql } from '../../src/db/connect.ts'
import { patiently, pause } from './client.ts'
import { reconnectAll } from './operator.ts'
import type { Place } from './place.ts'

export interface Drained {
  seconds: number
  /** What did not end in time; nothing is empty. */
  left: string[]
}

interface Open {
  what: string
  count: number
  /** When the last of them is due. */
  due_in: number
}

/** Beyond what is due, or after something ended: time for whoever is to notice, to try, and to hear Meta's answer. */
const graceSeconds = 120
/** The longest that anything is put off by its own rules. */
const longestSeconds = 480

export async function drain(place: Place, say: (line: string) => void): Promise<Drained> {
  const { simulator, postgres, terms } = place
  const startedMs = performance.now()
  const passed = () => (performance.now() - startedMs) / 1000
  let deadline = 2 * graceSeconds + terms.reconcileSeconds
  let fewest = Number.POSITIVE_INFINITY
  for (let looks = 1; ; looks++) {
    const isMetaQuiet = await Promise.race([
      simulator.settled().then(() => true),
      pause(500).then(() => false),
    ])
    // After Meta: what it told last may have begun something.
    const open = await patiently(() => selectOpen(postgres.db))
    if (isMetaQuiet && open.length === 0) return { seconds: passed(), left: [] }
    // Who only waits takes nothing from those who work.
    await pause(250)
    if (looks % 4 === 0) await reconnectAll(place)
    if (looks % 60 === 0) say(`still open: ${isMetaQuiet ? '' : 'Meta tells, '}${textOf(open)}`)
    const latest = Math.max(0, ...open.map(({ due_in }) => due_in))
    deadline = Math.max(deadline, Math.min(longestSeconds, passed() + latest + graceSeconds))
    // A slow machine may take its time, for as long as there is less and less to do.
    const count = open.reduce((sum, one) => sum + one.count, 0)
    if (count < fewest) deadline = Math.max(deadline, passed() + graceSeconds)
    fewest = Math.min(fewest, count)
    if (passed() > deadline) {
      return { seconds: passed(), left: [textOf(open) || 'Meta still tells something'] }
    }
  }
}

function textOf(open: Open[]): string {
  return open.map(({ what, count, due_in }) => `${count} ${what}, due in ${due_in} s`).join('; ')
}

function selectOpen(db: Db): Promise<Open[]> {
  return db.query(sql<Open>`
    select what, count(*)::int as count,
      round(greatest(0, extract(epoch from max(due) - now())))::int as due_in
    from (
      select 'webhooks' as what, next_run_at as due from whatsapp_webhook_events where status in ('pending', 'processing')
      union all
      select 'sends', next_run_at from whatsapp_send_outbox where status in ('pending', 'running')
      union all
      select 'events', created_at from events where position is null
      union all
      select 'deliveries of events', next_run_at from event_deliveries where status in ('pending', 'running')
      union all
      select 'leases of the dead', alive_until from send_workers where alive_until < now() - interval '5 s'
    ) as open
    group by what`)
}
