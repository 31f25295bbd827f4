// Where `bench weather` takes place, and how it is made calm again.
import { type Db, sql } from '../src/db/connect.ts'
import type { Ours } from './outbox-ours.ts'
import type { BenchTenant, World } from './outbox-world.ts'
import type { SimulatorControls } from './weather-simulator.ts'

export interface WeatherPlace {
  ours: Ours
  db: Db
  world: World
  simulator: SimulatorControls
}

/** Who is healthy, who has bad weather, and whose backlog waits for the end of an outage. */
export function groupsOf({ small }: World) {
  return {
    healthy: small.slice(0, 30),
    slow: small.slice(30, 40),
    throttled: small.slice(40, 50),
    down: small.slice(50, 60),
    recovering: small.slice(60, 70),
  }
}

/** An empty queue, a clear sky, and so many in flight for each of these tenants. */
export async function calmDown(
  { ours, db, simulator }: WeatherPlace,
  tenants: BenchTenant[],
  { rate, cap }: { rate: number; cap: number },
): Promise<void> {
  await simulator.clear()
  await ours.clear()
  await db.session(async (session) => {
    await session.script('truncate send_calls, send_pairs')
    await session.script('update send_host set circuit_open = false')
    await session.script(
      "update send_numbers set circuit_open = false, slowed_rate = null, hold_until = '-infinity'",
    )
  })
  const ids = tenants.map((tenant) => tenant.id)
  await db.query(sql`
    update send_numbers set rate = ${rate}::real where tenant_id = any(${ids}::uuid[])`)
  await db.query(sql`update tenants set max_concurrency = ${cap} where id = any(${ids}::uuid[])`)
}
