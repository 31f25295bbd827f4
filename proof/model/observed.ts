// What can be seen of the core, in the same form from the model and from Postgres.
import { type Db, sql } from '../../src/db/connect.ts'
import type { State } from './state.ts'

export interface Observed {
  rows: unknown[]
  attempts: unknown[]
  messages: unknown[]
  letters: unknown[]
  numbers: unknown[]
  tenants: unknown[]
  host: unknown[]
  inbox: unknown[]
}

/** To the millisecond; what is slowed down is kept in four bytes by Postgres. */
const time = (value: unknown) => (value === null ? null : Math.round(Number(value)))

export function observeModel(state: State): Observed {
  return {
    rows: state.rows.map((row) => [
      row.status,
      row.attempts,
      time(row.runAt),
      row.error,
      row.isHead,
      row.parent,
      row.hasFallback,
      row.attempt,
    ]),
    attempts: state.attempts
      .filter((attempt) => !attempt.isDropped)
      .map((attempt) => [
        attempt.id,
        attempt.row,
        time(attempt.startedAt),
        time(attempt.finishedAt),
        attempt.outcome,
        attempt.wamid,
        attempt.isDuplicate,
      ]),
    messages: state.messages.map((one) => [one.status, one.wamid, one.posts, one.isDuplicate]),
    letters: [...state.letters]
      .sort((a, b) => a.row - b.row)
      .map((letter) => [letter.row, letter.kind, letter.state]),
    numbers: state.numbers.map((one) => [
      time(one.nextAt),
      time(one.holdUntil),
      time(one.pacedUntil),
      one.slowedRate === null ? null : Math.round(one.slowedRate * 1000),
      one.isOpen,
      one.isOpen ? time(one.trialAt) : null,
      one.authStatus,
    ]),
    tenants: state.tenants.map((tenant) => time(tenant.nextAt)),
    host: [state.host.isOpen, state.host.isOpen ? time(state.host.trialAt) : null],
    inbox: [time(state.watch.seenAt), time(state.watch.steadySince)],
  }
}

export interface Names {
  tenants: string[]
  numbers: string[]
  /** By model id, from 1. */
  messages: string[]
  attempts: Map<string, number>
}

type Listed = Record<keyof Observed, unknown[][]>

export async function observePostgres(db: Db, names: Names): Promise<Observed> {
  const [row] = await db.query(sql<Listed>`
    with row as (
      select o.*, row_number() over (order by o.id) as place
      from whatsapp_send_outbox o
      where o.tenant_id = any(${names.tenants}::uuid[])
    )
    select (
        select coalesce(jsonb_agg(jsonb_build_array(r.status, r.attempts, virtual.ms(r.next_run_at), r.last_error,
          r.lane_head, (select p.place from row p where p.id = r.parent_id), r.fallback_template is not null,
          r.attempt_id) order by r.place), '[]')
        from row r
      ) as rows, (
        select coalesce(jsonb_agg(jsonb_build_array(a.id, r.place, virtual.ms(a.started_at), virtual.ms(a.finished_at),
          a.outcome, a.wamid, a.duplicate_confirmed_at is not null)), '[]')
        from row r
        join send_attempts a on a.tenant_id = r.tenant_id and a.outbox_id = r.id
      ) as attempts, (
        select coalesce(jsonb_agg(jsonb_build_array(m.status, m.wamid, m.attempts, m.duplicate_confirmed_at is not null)
          order by u.place), '[]')
        from unnest(${names.messages}::uuid[]) with ordinality as u (id, place)
        join whatsapp_messages m on m.id = u.id
      ) as messages, (
        select coalesce(jsonb_agg(jsonb_build_array(r.place, d.kind, d.state) order by r.place), '[]')
        from row r
        join dead_letters d on d.tenant_id = r.tenant_id and d.outbox_id = r.id
      ) as letters, (
        select jsonb_agg(jsonb_build_array(virtual.ms(n.next_at), virtual.ms(n.hold_until), virtual.ms(n.paced_until),
          round(n.slowed_rate * 1000), n.circuit_open, case when n.circuit_open then virtual.ms(n.trial_at) end,
          a.auth_status) order by u.place)
        from unnest(${names.numbers}::text[]) with ordinality as u (id, place)
        join send_numbers n on n.phone_number_id = u.id
        join whatsapp_accounts a on a.phone_number_id = u.id
      ) as numbers, (
        select jsonb_agg(virtual.ms(t.next_at) order by u.place)
        from unnest(${names.tenants}::uuid[]) with ordinality as u (id, place)
        join send_tenants t on t.tenant_id = u.id
      ) as tenants, (
        select jsonb_build_array(h.circuit_open, case when h.circuit_open then virtual.ms(h.trial_at) end) from send_host h
      ) as host, (
        select jsonb_build_array(virtual.ms(w.seen_at), virtual.ms(w.steady_since)) from inbox_watch w
      ) as inbox`)
  if (!row) throw new Error('bug: nothing was observed')
  return normal(row, names)
}

function normal(listed: Listed, { attempts }: Names): Observed {
  const timesAt = (rows: unknown[][], places: number[]) =>
    rows.map((row) => row.map((value, place) => (places.includes(place) ? time(value) : value)))
  const known = (id: unknown) => (id === null ? null : attempts.get(String(id)))
  return {
    ...listed,
    rows: timesAt(listed.rows, [2]).map((row) => [...row.slice(0, 7), known(row[7])]),
    attempts: timesAt(listed.attempts, [2, 3])
      .map((row) => [known(row[0]), ...row.slice(1)])
      .sort((a, b) => Number(a[0]) - Number(b[0])),
    numbers: timesAt(listed.numbers, [0, 1, 2, 5]),
    tenants: listed.tenants.map(time),
    host: [listed.host[0], time(listed.host[1])],
    inbox: listed.inbox.map(time),
  }
}
