// The Compose file, as far as it can be judged without an engine.
import { describe, expect, test } from 'vitest'
import {
  accepted,
  allSettings,
  type Compose,
  composeVariables,
  connectionsPerProcess,
  readCompose,
  readEnvFile,
  realSecrets,
  refusedBy,
  type Service,
  secretVariables,
  textOf,
  variables,
} from '../support/deployment.ts'
import { runProgram } from '../support/program.ts'

const compose = readCompose()
const example = readEnvFile('deploy/.env.example')
const ours = ['gateway', 'worker', 'simulator']

function service(name: string, from: Compose = compose): Service {
  const found = from.services[name]
  if (!found) throw new Error(`no service ${name}`)
  return found
}

/** What a process of this service finds in its environment. */
function environmentOf(name: string, given: Record<string, string>): Record<string, string> {
  const fromImage = { DATA_DIR: '/var/lib/estafet' }
  return { ...fromImage, ...given, ...service(name, readCompose(given)).environment }
}

const replicasOf = (one: Service) => Number(one.deploy?.replicas ?? 1)

describe('the services', () => {
  test('are gateway, two workers, Postgres, Redis and the simulator', () => {
    expect(Object.keys(compose.services).sort()).toEqual(
      ['gateway', 'postgres', 'redis', 'simulator', 'worker'].sort(),
    )
    expect(replicasOf(service('worker'))).toBe(2)
    expect(replicasOf(service('simulator'))).toBe(1)
    expect(replicasOf(service('simulator', readCompose(example)))).toBe(0)
  })

  test('restart by themselves, within limits, and ours with as few rights as possible', () => {
    for (const [name, one] of Object.entries(compose.services)) {
      expect([name, one.restart]).toEqual([name, 'unless-stopped'])
      expect(Number(one.deploy?.resources.limits.cpus)).toBeGreaterThan(0)
      expect(one.deploy?.resources.limits.memory).toMatch(/^\d+[MG]$/)
    }
    for (const name of ours) {
      expect(service(name)).toMatchObject({ read_only: true, cap_drop: ['ALL'] })
      expect(service(name).image).toBe('estafet:local')
    }
  })

  test('wait for others that say when they are healthy', () => {
    const hasCheck = (name: string) => ours.includes(name) || service(name).healthcheck
    const waits = Object.values(compose.services).flatMap((it) =>
      Object.entries(it.depends_on ?? {}),
    )
    expect(waits.length).toBeGreaterThan(0)
    for (const [name, { condition }] of waits) {
      expect([name, condition, hasCheck(name) !== undefined]).toEqual([
        name,
        'service_healthy',
        true,
      ])
    }
    for (const name of ['gateway', 'worker']) {
      expect(Object.keys(service(name).depends_on ?? {})).toEqual(['postgres', 'redis'])
    }
  })

  test('run commands that exist, with options they have', async () => {
    const commands = Object.entries(compose.services).filter(([, it]) => it.command)
    expect(commands.map(([name]) => name)).toEqual(['postgres', 'redis', 'simulator'])
    const [name = '', ...options] = service('simulator').command ?? []
    const { code, stdout } = await runProgram([name, '--help'], {})
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: estafet ${name}`)
    for (const option of options) expect(stdout).toContain(`${option.split('=')[0]} <`)
  })

  test('publish the gateway and the simulator to this machine, and nothing else', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    )
    expect(published).toEqual([
      ['gateway', '127.0.0.1:8080:8080'],
      ['simulator', '127.0.0.1:8090:8090'],
    ])
    expect(service('gateway').environment?.PORT).toBe('8080')
    expect(service('simulator').command).toContain('--port=8090')
    for (const name of ['postgres', 'redis']) expect(service(name).networks).toEqual(['storage'])
    expect(compose.networks.storage).toEqual({ internal: true })
  })

  test('find each other', () => {
    const { environment = {}, networks } = service('gateway')
    const hosts = ['DATABASE_URL', 'REDIS_URL', 'META_GRAPH_URL'].map(
      (name) => new URL(environment[name] ?? '').hostname,
    )
    expect(hosts).toEqual(['postgres', 'redis', 'simulator'])
    expect(networks).toEqual(['default', 'storage'])
    const webhook = service('simulator').command?.find((it) => it.startsWith('--webhook-url='))
    expect(webhook).toBe('--webhook-url=http://gateway:8080/api/webhooks/meta/whatsapp')
    expect(textOf('src/inbox/routes.ts')).toContain("'/api/webhooks/meta/whatsapp'")
  })

  test('share the folder with files, where the settings say it is', () => {
    for (const name of ['gateway', 'worker']) {
      expect(service(name).volumes).toEqual([`media:${service(name).environment?.DATA_DIR}`])
    }
    expect(Object.keys(compose.volumes)).toEqual(['postgres', 'media'])
  })

  test('have a Postgres that keeps what a 200 promised, with room for all of them', () => {
    const { command = [], image, volumes } = service('postgres')
    const set = Object.fromEntries(command.map((it) => it.split('=')))
    expect(set).toMatchObject({ fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on' })
    expect(image).toMatch(/^postgres:18/)
    // The image of 18 would put its data into an unnamed volume if this were the older path.
    expect(volumes).toEqual(['postgres:/var/lib/postgresql'])
    const processes = replicasOf(service('gateway')) + replicasOf(service('worker'))
    expect(Number(set.max_connections)).toBeGreaterThan((processes + 1) * connectionsPerProcess())
  })
})

describe('the settings', () => {
  test('exist, each of them', () => {
    for (const name of ['gateway', 'worker']) {
      const set = Object.keys(service(name).environment ?? {})
      expect(set.filter((it) => !variables.includes(it))).toEqual([])
    }
    const composeOnly = ['POSTGRES_PASSWORD', 'GATEWAY_ADDRESS', 'SIMULATORS', 'IMAGE_TAG']
    const known = [...variables, ...composeOnly]
    expect(composeVariables().filter((it) => !known.includes(it))).toEqual([])
    expect(Object.keys(example).filter((it) => !known.includes(it))).toEqual([])
  })

  test('the example names everything that has to be known, and every secret there is a use for', () => {
    const needed = allSettings.filter((it) => it.required === 'deployed').map((it) => it.variable)
    expect(Object.keys(example)).toEqual(expect.arrayContaining(needed))
    expect(Object.keys(example)).toEqual(
      expect.arrayContaining(composeVariables().filter((it) => it !== 'IMAGE_TAG')),
    )
  })

  test('give all roles together, one kind of process each', () => {
    expect(accepted(environmentOf('gateway', {})).roles).toEqual(['api', 'console'])
    expect(accepted(environmentOf('worker', {})).roles).toEqual(['worker'])
  })

  test('work as they are, in development, with the simulator as Meta', () => {
    const config = accepted(environmentOf('gateway', {}))
    expect(config).toMatchObject({
      env: 'development',
      host: '0.0.0.0',
      metaGraphUrl: 'http://simulator:8090',
      dedupeStore: 'redis',
      warnings: [],
    })
    const options = service('simulator').command ?? []
    expect(options).toContain(`--app-id=${config.metaAppId}`)
    expect(options).toContain(`--app-secret=${config.metaAppSecrets[0]}`)
    expect(options).toContain(`--verify-token=${config.metaVerifyToken}`)
  })

  test.each(['staging', 'production'])('%s refuses every secret that is made up here', (env) => {
    const secrets = ['ADMIN_API_KEY', 'DATABASE_URL', 'ENCRYPTION_KEYS']
    const refused = [...secrets, 'META_APP_SECRET', 'META_VERIFY_TOKEN']
    expect(refusedBy(environmentOf('gateway', { ESTAFET_ENV: env })).sort()).toEqual(refused)
    expect(refusedBy(environmentOf('worker', { ...example, ESTAFET_ENV: env })).sort()).toEqual(
      refused,
    )
  })

  test('with real values in the example it is ready for production, with Meta itself', () => {
    const filled = { ...example, ...realSecrets, POSTGRES_PASSWORD: '5f0c9a7be1d24863' }
    const config = accepted(environmentOf('gateway', filled))
    expect(config).toMatchObject({
      env: 'production',
      metaGraphUrl: 'https://graph.facebook.com',
      publicUrl: 'https://whatsapp.example.com',
      warnings: [],
    })
    expect(config.metaSignupUrl).toBeUndefined()
    expect(config.databaseUrl).toBe('postgres://estafet:5f0c9a7be1d24863@postgres:5432/estafet')
  })

  test('no secret stands in the file itself but what production refuses', () => {
    for (const name of secretVariables) {
      const value = service('gateway').environment?.[name]
      if (value === undefined || name === 'REDIS_URL') continue
      expect(value).toMatch(/dev-|dev:A+=$/)
    }
  })
})
