// `start` refuses what would go wrong later, and says all of it at once.
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../support/after-file.ts'
import { runCommand } from '../support/commands.ts'
import { createTestDatabase } from '../support/database.ts'
import { testSecrets } from '../support/gateway.ts'
import {
  createDirectory,
  runProgram,
  startGatewayProgram,
  startOwnPostgres,
  startProgram,
} from '../support/program.ts'

describe('start refuses', () => {
  test('production without secrets, and names every missing variable at once', async () => {
    const run = await runCommand(['start'], {})

    expect(run.code).toBe(1)
    expect(run.stdout).toBe('')
    for (const variable of [...Object.keys(testSecrets), 'DATABASE_URL']) {
      if (variable !== 'META_APP_ID') expect(run.stderr).toContain(`${variable}: is missing`)
    }
  })

  test('production without DATABASE_URL, and tells how to accept the embedded Postgres', async () => {
    const dataDir = join(await createDirectory(), 'data')

    const run = await runCommand(['start'], { ...testSecrets, DATA_DIR: dataDir })

    expect(run.code).toBe(1)
    expect(run.stderr).toContain('DATABASE_URL')
    expect(run.stderr).toContain('ALLOW_EMBEDDED=1')
    expect(existsSync(dataDir)).toBe(false)
  })

  test('staging with Cloud Tasks and an http address, a short token or nothing else', async () => {
    const run = await runCommand(['start'], {
      ...testSecrets,
      ESTAFET_ENV: 'staging',
      DATABASE_URL: 'postgres://127.0.0.1:9/none',
      DISPATCH: 'cloud-tasks',
      INTERNAL_TASK_BASE_URL: 'http://gateway.example.test',
    })

    expect(run.code).toBe(1)
    expect(run.stderr).toContain('INTERNAL_TASK_BASE_URL: is not https')
    for (const variable of [
      'GCP_PROJECT',
      'GCP_LOCATION',
      'INBOUND_TASK_QUEUE_NAME',
      'OUTBOUND_TASK_QUEUE_NAME',
      'INTERNAL_TASK_TOKEN',
    ]) {
      expect(run.stderr).toContain(`${variable}: is missing, and DISPATCH is cloud-tasks`)
    }
  })

  test.each([
    ['redis', 'REDIS_URL'],
    ['firestore', 'FIRESTORE_PROJECT'],
  ])('staging with %s as the dedupe store and no address of it', async (store, variable) => {
    const run = await runCommand(['start'], {
      ...testSecrets,
      ESTAFET_ENV: 'staging',
      DATABASE_URL: 'postgres://127.0.0.1:9/nowhere',
      DEDUPE_STORE: store,
    })

    expect(run.code).toBe(1)
    expect(run.stderr).toContain(`${variable}: is missing, and DEDUPE_STORE is ${store}`)
  })

  test('a port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    afterFile(async () => other.close())
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)

    const run = await runProgram(['start'], {
      ...testSecrets,
      DATABASE_URL: await createTestDatabase(),
      HOST: '127.0.0.1',
      PORT: port,
    })

    expect(run.code).toBe(1)
    expect(run.stderr).toContain(`Port ${port} is taken`)
    expect(run.stderr).toContain('PORT=0')
  })
})

describe('start', () => {
  test('waits for a database that comes up after it', async () => {
    const postgres = await startOwnPostgres({ fsync: 'off' })
    await postgres.stop()
    const program = await startProgram(['start'], {
      ...testSecrets,
      DATABASE_URL: postgres.url,
      HOST: '127.0.0.1',
      PORT: '0',
    })
    await program.untilLogged('database_unavailable')

    await postgres.startAgain()

    await program.untilLogged('started')
    expect((await program.end('SIGTERM')).code).toBe(0)
  })

  test.each(['start', 'dev'])(
    '%s ends at once when it is told to while it waits',
    async (command) => {
      const program = await startProgram([command], {
        ...testSecrets,
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
        DATA_DIR: join(await createDirectory(), 'data'),
        HOST: '127.0.0.1',
        PORT: '0',
        SIMULATOR_PORT: '0',
      })
      await program.untilLogged('database_unavailable')

      expect(await program.end('SIGTERM')).toEqual({ code: 0, signal: null })
      // It would have tried sixty times.
      expect(program.logged('database_unavailable').length).toBeLessThan(10)
    },
  )

  test('ends loudly when its embedded Postgres dies, and the next start goes on with the same data', async () => {
    const environment = {
      ...testSecrets,
      ALLOW_EMBEDDED: '1',
      DATA_DIR: join(await createDirectory(), 'data'),
      HOST: '127.0.0.1',
      PORT: '0',
    }
    const first = await startProgram(['start'], environment)
    await first.untilLogged('started')
    const [pid] = readFileSync(join(environment.DATA_DIR, 'postgres/postmaster.pid'), 'utf8').split(
      '\n',
    )

    process.kill(Number(pid), 'SIGKILL')

    expect((await first.exited).code).toBe(1)
    expect(first.stderr()).toContain('the embedded Postgres ended by itself')
    const second = await startProgram(['start'], environment)
    await second.untilLogged('started')
    expect((await second.end('SIGTERM')).code).toBe(0)
  })

  test('is not ready on a database that would lose acknowledged webhooks, unless told that this is fine', async () => {
    const environment = { DATABASE_URL: await createTestDatabase(), ROLES: 'worker' }
    const careful = await startGatewayProgram({ ...environment, ALLOW_UNSAFE_DB: '0' })
    const careless = await startGatewayProgram({ ...environment, ALLOW_UNSAFE_DB: '1' })

    const refused = await careful.call('GET', '/readyz')
    expect(refused.status).toBe(503)
    expect(refused.json.problems.join()).toContain('fsync is off')
    expect((await careful.call('GET', '/healthz')).status).toBe(200)
    expect((await careless.call('GET', '/readyz')).status).toBe(200)
    // A worker has no API, only the two probes.
    expect((await careless.call('GET', '/api/whatsapp/conversations')).status).toBe(404)
    expect((await careless.deliver({})).status).toBe(404)
  })

  test('brings an empty database up to date by itself', async () => {
    const gateway = await startGatewayProgram({ DATABASE_URL: await createTestDatabase(null) })

    expect(gateway.logged('migrated').length).toBeGreaterThan(0)
    expect(await gateway.pendingCount()).toBe(0)
  })
})
