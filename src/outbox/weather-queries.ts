// What answers of Meta change about pace, holds and circuits. The functions are in migrations/0008_weather.sql
// and 0030_reconnecting_and_lanes.sql.
import { sql, type Tx } from '../db/connect.ts'

/** The circuit breaker's settings. */
export interface Circuit {
  failureRatio: number
  windowSeconds: number
  minCalls: number
  halfOpenSeconds: number
}

export interface Call {
  tenantId: string
  phoneNumberId: string
  attemptId: string
  verdict: 'answered' | 'failed' | 'unreachable'
  /** Until when its number is held, after a throttle answer of the number's own. */
  throttledUntil: Date | null
  /** Whom it was sent to, when Meta says that this contact has had enough for now. */
  limitedPair: string | null
}

export interface WeatherChange {
  /** Null for the host. */
  tenantId: string | null
  phoneNumberId: string | null
  change: 'opened' | 'closed' | 'stays_open' | 'slowed'
}

/** To be called after `settleSends`, which locks the tenants. */
export async function noteCalls(tx: Tx, calls: Call[], circuit: Circuit): Promise<WeatherChange[]> {
  return tx.query(sql<WeatherChange>`
    select tenant_id as "tenantId", phone_number_id as "phoneNumberId", change
    from send_weather(
      ${calls.map((call) => call.tenantId)}::uuid[],
      ${calls.map((call) => call.phoneNumberId)}::text[],
      ${calls.map((call) => call.attemptId)}::uuid[],
      ${calls.map((call) => call.verdict)}::text[],
      ${calls.map((call) => call.throttledUntil)}::timestamptz[],
      ${calls.map((call) => call.limitedPair)}::text[],
      ${circuit.failureRatio}::float8, ${circuit.windowSeconds}::int, ${circuit.minCalls}::int,
      ${circuit.halfOpenSeconds}::int)`)
}

/** Every number that shares the limit waits. In a transaction of its own: it locks other tenants too. */
export async function holdShared(
  db: Tx,
  call: { tenantId: string; phoneNumberId: string; attemptId: string },
  scope: 'waba' | 'app',
  until: Date,
): Promise<WeatherChange[]> {
  return db.query(sql<WeatherChange>`
    select tenant_id as "tenantId", phone_number_id as "phoneNumberId", 'slowed' as change
    from send_hold_shared(${call.tenantId}, ${call.phoneNumberId}, ${scope}, ${call.attemptId}, ${until})`)
}

/** Another moment, by the database's clock; undefined when its number is held since it was claimed. */
export async function takeSlot(
  db: Tx,
  tenantId: string,
  phoneNumberId: string,
  leadMs: number,
): Promise<{ slotMs: number; saidMs: number } | undefined> {
  const [row] = await db.query(sql<{ slotMs: number; saidMs: number }>`
    select slot_ms as "slotMs", said_ms as "saidMs"
    from send_slot(${tenantId}, ${phoneNumberId}, ${leadMs}::float8)`)
  return row
}

/** Whether nobody has held this number since something of it was claimed. */
export async function isFree(db: Tx, tenantId: string, phoneNumberId: string): Promise<boolean> {
  const rows = await db.query(sql`
    select
    from send_numbers
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and hold_until <= now() and not circuit_open`)
  return rows.length > 0
}

export type ThroughputLevel = 'standard' | 'high' | 'coexistence'

/**
 * The numbers' level from now on; those Meta knows by the digits people see are found by them. One that is also on
 * somebody's phone stays that.
 */
export async function setLevel(
  tx: Tx,
  tenantId: string,
  number: { phoneNumberId: string | null; wabaId: string | null; displayDigits: string | null },
  level: ThroughputLevel,
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    update whatsapp_accounts a
    set throughput_level = case when a.throughput_level = 'coexistence' then a.throughput_level else ${level} end
    where a.tenant_id = ${tenantId}
      and (a.phone_number_id = ${number.phoneNumberId}
        or (a.waba_id = ${number.wabaId}
          and regexp_replace(a.display_phone_number, '[^0-9]', '', 'g') = ${number.displayDigits}))
    returning a.phone_number_id as id`)
  return rows.map((row) => row.id).sort()
}

/** Messages a second, by the number's level. */
export async function allowRate(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  rates: Record<ThroughputLevel, number>,
): Promise<void> {
  await tx.query(sql`
    select send_allow(a.tenant_id, a.phone_number_id, case a.throughput_level
      when 'high' then ${rates.high}::real
      when 'coexistence' then ${rates.coexistence}::real
      else ${rates.standard}::real end)
    from whatsapp_accounts a
    where a.tenant_id = ${tenantId} and a.phone_number_id = ${phoneNumberId}`)
}
