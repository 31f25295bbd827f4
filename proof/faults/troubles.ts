// Single faults: what happens to a gateway, its database or its Meta while the standard load runs.
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { sql } from '../../src/db/connect.ts'
import type { FaultProxy } from '../../test/support/fault-proxy.ts'
import { bytesOf } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { deliverTo, type OwnPostgres, until } from '../../test/support/program.ts'
import { pieces, shuffled } from '../../test/support/seeded.ts'
import { eventually, patienceMs } from './client.ts'
import type { SmallDisk } from './small-disk.ts'
import { number } from './stage.ts'
import type { Living, World } from './world.ts'

export interface Scene {
  world: World
  /** The one that callers reach: whoever replaces it puts another one here. */
  gateway: Living
  fraction: () => number
  /** Between the processes and their database. */
  proxy: FaultProxy
  postgres: OwnPostgres
  disk: SmallDisk
}

export interface Trouble {
  /** Needs a disk that can be filled, which not every machine can have. */
  needsDisk?: boolean
  /** A server of its own, or a way to the common one that can be disturbed. */
  database?: 'own' | 'behind a proxy'
  strike(scene: Scene): Promise<void>
}

export const troubles: Record<string, Trouble> = {
  'Postgres is killed': {
    database: 'own',
    strike: ({ world, postgres }) => twice(world, postgres, () => postgres.crash()),
  },
  'Postgres is stopped at once': {
    database: 'own',
    strike: ({ world, postgres }) =>
      twice(world, postgres, async () => {
        const [row] = await postgres.db.query(sql<{ pid: string }>`
          select split_part(pg_read_file('postmaster.pid'), E'\n', 1) as pid`)
        process.kill(Number(row?.pid), 'SIGQUIT')
        await postgres.crash()
      }),
  },
  'the disk of the database is full': {
    database: 'own',
    needsDisk: true,
    async strike({ world: { client }, disk }) {
      const before = client.failures()
      await disk.fill()
      await until('callers hear of it', () => client.failures() > before, patienceMs)
      await disk.free()
    },
  },
  'its connections are terminated': {
    async strike({ world: { db } }) {
      let terminated = 0
      await until(
        'some are terminated at work',
        async () => {
          const hit = await db.query(sql`
            select pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database() and application_name <> 'estafet test'
              and state in ('active', 'idle in transaction') and backend_type = 'client backend'`)
          terminated += hit.length
          return terminated >= 20
        },
        patienceMs,
      )
    },
  },
  'answers to commits get lost': {
    database: 'behind a proxy',
    async strike({ proxy, fraction }) {
      proxy.loseCommits(() => fraction() < 0.2)
      await until('some are lost', () => proxy.lostAnswers() >= 15, patienceMs)
      proxy.loseCommits(() => false)
    },
  },
  'connections to Postgres are half-open': {
    database: 'behind a proxy',
    async strike({ world: { client }, proxy }) {
      const before = client.failures()
      proxy.swallowEverything()
      await until('callers hear of it', () => client.failures() > before, patienceMs)
      proxy.heal()
    },
  },
  'connections to Postgres are reset': {
    database: 'behind a proxy',
    async strike({ world: { client }, proxy }) {
      const before = client.failures()
      proxy.refuseEverything()
      await until('callers hear of it', () => client.failures() > before, patienceMs)
      proxy.heal()
    },
  },
  'it stands still past its leases': {
    async strike(scene) {
      const { world, gateway } = scene
      const { db, simulator } = world
      simulator.hold({ match: { endpoint: 'messages' }, count: 1, when: 'after_accepting' })
      const isHeld = () =>
        simulator.ledger().requests.some((one) => one.outcome === 'open' && one.wamid)
      await until('Meta has a message, and says nothing', isHeld, patienceMs)
      process.kill(gateway.pid, 'SIGSTOP')
      await world.expire()
      await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
      scene.gateway = await world.start()
      await eventually('nothing is in the hands of the first', async () => {
        const held = await db.query(sql`
            select from whatsapp_send_outbox o
            join send_workers w on w.id = o.worker_id
            where o.status = 'running' and w.alive_until < now()`)
        return held.length === 0
      })
      simulator.letGo()
      process.kill(gateway.pid, 'SIGCONT')
      // The database refuses what the first one has to say of the message that another one has by now.
      await eventually('the first one settles too late', () =>
        gateway.logged('outbound_send').some(({ state }) => state === 'lost'),
      )
      await gateway.end('SIGTERM')
    },
  },
  'gateways are replaced one after the other': {
    async strike(scene) {
      const { world } = scene
      const before = world.client.failures()
      for (const _ of [1, 2, 3]) {
        const former = scene.gateway
        scene.gateway = await world.start()
        const exit = await former.end('SIGTERM')
        if (exit.code !== 0) throw new Error(`it ended with ${exit.code ?? exit.signal}`)
      }
      const failures = world.client.failures() - before
      if (failures > 0) throw new Error(`${failures} deliveries were not answered with 200`)
    },
  },
  'Meta is away': metaDoes({ fault: 'outage', match: { endpoint: 'messages' } }, 6),
  'Meta refuses connections': metaDoes({ fault: 'refuse', match: { endpoint: 'messages' } }, 6),
  'Meta slows a number down': metaDoes(
    {
      fault: 'throttle',
      retry_after_seconds: 1,
      match: { phone_number_id: number.phone_number_id },
    },
    6,
  ),
  'Meta’s answers get lost': metaDoes(
    { fault: 'reset', when: 'after_accepting', probability: 0.5, match: { endpoint: 'messages' } },
    6,
  ),
  'the token is revoked in a burst': {
    async strike({ world: { db, simulator, client } }) {
      const rule = simulator.setFault({ fault: 'token', skip: 2, match: { endpoint: 'messages' } })
      const accountId = await until(
        'it is noticed',
        async () => {
          const [row] = await db.query(sql<{ id: string }>`
            select 'acc_' || replace(id::text, '-', '') as id
            from whatsapp_accounts
            where auth_status = 'needs_reauth'`)
          return row?.id
        },
        patienceMs,
      )
      simulator.removeFault(rule.id)
      await until('it is replaced', async () => {
        const path = '/api/integrations/meta/whatsapp'
        const { json } = await client.insist('POST', `${path}/reconnect`, { account_id: accountId })
        const code = simulator.issueCode({ waba_ids: [number.waba_id] })
        const query = new URLSearchParams({ state: json.state, code, ...number })
        return (await client.insist('GET', `${path}/callback?${query}`)).status === 200
      })
    },
  },
  'everything comes fifty times, in other batches': {
    async strike({ world, fraction }) {
      world.simulator.setFault({ fault: 'duplicate', times: 50 })
      world.simulator.setFault({ fault: 'rebatch', window: 50 })
      await until('there is something to repeat', () => world.client.log.webhooks.length > 20)
      const wamids = world.client.log.webhooks.map(({ wamid }) => wamid)
      for (let round = 0; round < 50; round++) {
        const batches = pieces(shuffled(wamids, fraction), 12, fraction)
        await Promise.all(batches.map((batch) => repeat(world, batch)))
      }
    },
  },
}

/** Twice: away, until callers hear of it, and back. */
async function twice(
  { client }: World,
  postgres: OwnPostgres,
  end: () => Promise<void>,
): Promise<void> {
  for (const _ of [1, 2]) {
    const { length } = client.log.webhooks.filter(({ isAcknowledged }) => isAcknowledged)
    await until(
      'more is acknowledged',
      () => client.log.webhooks.filter(({ isAcknowledged }) => isAcknowledged).length > length + 3,
      patienceMs,
    )
    const before = client.failures()
    await end()
    await until('callers hear of it', () => client.failures() > before, patienceMs)
    await postgres.startAgain()
  }
}

/** Until so many calls were struck. */
function metaDoes(rule: FaultInput, strikes: number): Trouble {
  return {
    async strike({ world: { simulator } }) {
      const { id } = simulator.setFault(rule)
      const struck = () => simulator.ledger().faults.filter((one) => one.rule_id === id)
      await until('calls are struck', () => struck().length >= strikes, patienceMs)
      simulator.removeFault(id)
    },
  }
}

async function repeat({ doorUrl }: World, wamids: string[]): Promise<void> {
  const messages = wamids.map((wamid) => textMessage(wamid, 'hello'))
  const raw = bytesOf(payload({ number, messages }))
  await until('it is acknowledged', async () => (await deliverTo(doorUrl, raw)).status === 200)
}
