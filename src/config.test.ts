import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectNone } from '../test/support/canaries.ts'
import { type Config, ConfigError, configurationMarkdown, readConfig } from './config.ts'
import { settings } from './config-table.ts'

type Env = Record<string, string | undefined>

const encryptionKey = Buffer.from('fictional key of exactly 32 byte').toString('base64')
const production: Env = {
  DATABASE_URL: 'postgres://estafet:correct-horse@db.example.test:5432/estafet',
  META_APP_SECRET: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  META_VERIFY_TOKEN: 'handshake-4711',
  ADMIN_API_KEY: 'ana:kT93nXw0QpLz81vBd2,ben:Zr47mYc5HsVu60aEf9',
  ENCRYPTION_KEYS: `k2:${encryptionKey},k1:${Buffer.alloc(32, 7).toString('base64')}`,
}
const cloudTasks: Env = {
  DISPATCH: 'cloud-tasks',
  GCP_PROJECT: 'sample-project',
  GCP_LOCATION: 'europe-west1',
  INBOUND_TASK_QUEUE_NAME: 'in-a, in-b',
  OUTBOUND_TASK_QUEUE_NAME: 'out',
  INTERNAL_TASK_BASE_URL: 'https://gateway.example.test',
  INTERNAL_TASK_TOKEN: 'pN7sK2vQ9xR4tW6y',
}

function start(env: Env = {}): Config {
  return readConfig({ ...production, ...env }, { mode: 'start' })
}

function dev(env: Env = {}): Config {
  return readConfig(env, { mode: 'dev' })
}

function refusal(read: () => Config): ConfigError {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('the configuration was accepted')
}

function refusedVariables(env: Env): string[] {
  return refusal(() => start(env)).problems.map(({ variable }) => variable)
}

describe('a configuration that is accepted', () => {
  test('in development nothing needs to be set', () => {
    expect(dev()).toMatchObject({
      env: 'development',
      host: '127.0.0.1',
      port: 8080,
      roles: ['api', 'worker', 'console'],
      dataDir: '.estafet',
      metaGraphUrl: 'https://graph.facebook.com',
      metaGraphVersion: 'v26.0',
      metaAppSecrets: [],
      operatorKeys: [],
      encryptionKeys: [],
      maxConcurrencyPerTenant: 2,
      retryPolicy: 'standard',
      reconcileSeconds: 30,
      circuit: { failureRatio: 0.5, windowSeconds: 60, minCalls: 10, halfOpenSeconds: 300 },
      sendTimeoutMs: 15_000,
      dedupeTtlDays: 7,
      traceTtlDays: 7,
      payloadRetentionDays: 30,
      tokenCheckMinutes: 360,
      tokenWarningDays: 7,
      dispatch: 'postgres',
      dedupeStore: 'postgres',
      dlqAlertThreshold: 10,
      allowPrivateTargets: true,
      allowEmbedded: false,
      allowUnsafeDb: false,
      apiRateLimitPerSecond: 1000,
      simulatorPort: 8081,
      logLevel: 'info',
      warnings: [],
    })
    expect(dev()).not.toHaveProperty('databaseUrl')
  })

  test('in production the secrets are read and the defaults are closed', () => {
    const config = start({ META_APP_SECRET: ' 0f1e2d3c4b5a6978 , 8796a5b4c3d2e1f0 ,' })

    expect(config).toMatchObject({ env: 'production', host: '0.0.0.0', allowPrivateTargets: false })
    expect(config.metaAppSecrets).toEqual(['0f1e2d3c4b5a6978', '8796a5b4c3d2e1f0'])
    expect(config.operatorKeys).toEqual([
      { name: 'ana', key: 'kT93nXw0QpLz81vBd2' },
      { name: 'ben', key: 'Zr47mYc5HsVu60aEf9' },
    ])
    expect(config.encryptionKeys.map(({ id, key }) => [id, key.length])).toEqual([
      ['k2', 32],
      ['k1', 32],
    ])
  })

  test('a bare operator key is called operator', () => {
    const { operatorKeys } = start({ ADMIN_API_KEY: 'kT93nXw0QpLz81vBd2' })
    expect(operatorKeys).toEqual([{ name: 'operator', key: 'kT93nXw0QpLz81vBd2' }])
  })

  test('an empty variable counts as unset', () => {
    expect(start({ PORT: ' ', META_APP_ID: '' })).toMatchObject({ port: 8080 })
    expect(refusedVariables({ META_VERIFY_TOKEN: '' })).toEqual(['META_VERIFY_TOKEN'])
  })

  test.each(['1', 'true', 'ON', 'yes'])('%s is on', (text) => {
    expect(start({ ALLOW_UNSAFE_DB: text }).allowUnsafeDb).toBe(true)
  })

  test.each(['0', 'False', 'off', 'no'])('%s is off', (text) => {
    expect(dev({ ALLOW_PRIVATE_TARGETS: text }).allowPrivateTargets).toBe(false)
  })

  test('the environment decides and not the command', () => {
    const config = readConfig({ ESTAFET_ENV: 'development' }, { mode: 'start' })
    expect(config).toMatchObject({ env: 'development', host: '127.0.0.1' })
  })

  test('the last slash of a base address is dropped', () => {
    const { metaGraphUrl } = dev({ META_GRAPH_URL: 'http://127.0.0.1:8081/graph/' })
    expect(metaGraphUrl).toBe('http://127.0.0.1:8081/graph')
  })

  test('headers for the collector are name=value; no other text is taken for them', () => {
    const read = (text: string) => start({ OTEL_EXPORTER_OTLP_HEADERS: text }).otlpHeaders
    expect(read('authorization=Bearer%20a=, x-b = c d')).toEqual([
      'authorization=Bearer%20a=',
      'x-b = c d',
    ])
    for (const wrong of ['Bearer', 'a=%zz', 'a b=c', 'a=%0d%0ab', 'a=ü']) {
      expect(refusedVariables({ OTEL_EXPORTER_OTLP_HEADERS: wrong })).toEqual([
        'OTEL_EXPORTER_OTLP_HEADERS',
      ])
    }
    expect(refusedVariables({ OTEL_TRACES_SAMPLER_ARG: '1.1' })).toEqual([
      'OTEL_TRACES_SAMPLER_ARG',
    ])
  })

  test('the embedded Postgres can be accepted', () => {
    const config = start({ DATABASE_URL: undefined, ALLOW_EMBEDDED: '1' })
    expect(config.databaseUrl).toBeUndefined()
  })
})

describe('a configuration that is refused', () => {
  test.each(['staging', 'production'])('%s names everything that is missing at once', (name) => {
    const error = refusal(() =>
      readConfig({ ESTAFET_ENV: name, PORT: '-1', ROLES: 'api,workr' }, { mode: 'start' }),
    )

    expect(error.message.split('\n').slice(1)).toEqual([
      '  PORT: is not a whole number; use one from 0 to 65535',
      '  ROLES: is not a known value; use api, worker or console (did you mean worker?)',
      expect.stringMatching(/^ {2}META_APP_SECRET: is missing; copy it from/),
      expect.stringMatching(/^ {2}META_VERIFY_TOKEN: is missing; make one with/),
      expect.stringMatching(/^ {2}ADMIN_API_KEY: is missing; set name:key/),
      expect.stringMatching(/^ {2}ENCRYPTION_KEYS: is missing; set id:key/),
      expect.stringMatching(/^ {2}DATABASE_URL: is missing; .*ALLOW_EMBEDDED=1/),
    ])
  })

  test('an environment that is misspelled is judged as the mode would be', () => {
    const error = refusal(() => readConfig({ ESTAFET_ENV: 'prodution' }, { mode: 'start' }))
    expect(error.problems[0]?.fix).toContain('did you mean production?')
    expect(error.problems.length).toBeGreaterThan(4)
    expect(refusal(() => dev({ ESTAFET_ENV: 'x' })).problems).toHaveLength(1)
  })

  test.each([
    ['PORT', '65536'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', 'NaN'],
    ['SEND_TIMEOUT_MS', '1e3'],
    ['MAX_CONCURRENCY_PER_TENANT', '0'],
    ['CIRCUIT_FAILURE_RATIO', '1.5'],
    ['CIRCUIT_FAILURE_RATIO', '0'],
    ['DEDUPE_TTL_DAYS', 'Infinity'],
    ['ROLES', ' , '],
    ['LOG_LEVEL', 'loud'],
    ['ALLOW_EMBEDDED', 'maybe'],
    ['DATABASE_URL', 'mysql://db.example.test/estafet'],
    ['DATABASE_URL', 'db.example.test'],
    ['META_GRAPH_URL', 'ftp://graph.example.test'],
    ['META_GRAPH_URL', 'https://user:pass@graph.example.test'],
    ['META_GRAPH_VERSION', '26'],
    ['REDIS_URL', 'http://redis.example.test'],
    ['CLOUD_TASKS_ENDPOINT', 'http://localhost:8123'],
    ['META_APP_SECRET', 'too-short'],
    ['META_APP_SECRET', '0f1e2d3c4b5a69788796a5b4c3d2e1f0,short'],
    ['DATABASE_URL', 'postgres://estafet:change-me@db.example.test/estafet'],
    ['REDIS_URL', 'rediss://:password@redis.example.test'],
    ['META_VERIFY_TOKEN', 'changeme'],
    ['META_VERIFY_TOKEN', 'dev-verify-token'],
    ['META_VERIFY_TOKEN', 'xxxxxxxxxxxx'],
    ['ADMIN_API_KEY', 'ana:please-change-me-now'],
    ['ADMIN_API_KEY', 'ana:'],
    ['ADMIN_API_KEY', 'ana maria:kT93nXw0QpLz81vBd2'],
    ['ADMIN_API_KEY', 'ana:kT93nXw0QpLz81vBd2,ben:kT93nXw0QpLz81vBd2'],
    ['ENCRYPTION_KEYS', encryptionKey],
    ['ENCRYPTION_KEYS', 'k1:c2hvcnQ='],
    ['ENCRYPTION_KEYS', `k1:${encryptionKey},k1:${encryptionKey}`],
    ['ENCRYPTION_KEYS', `k 1:${encryptionKey}`],
    ['ENCRYPTION_KEYS', `k1:${Buffer.alloc(32).toString('base64')}`],
  ])('%s=%s', (variable, text) => {
    expect(refusedVariables({ [variable]: text })).toEqual([variable])
  })

  test('development takes short secrets, but not malformed ones', () => {
    expect(dev({ META_VERIFY_TOKEN: 'dev', ADMIN_API_KEY: 'ana:dev' }).operatorKeys).toHaveLength(1)
    expect(() => dev({ ENCRYPTION_KEYS: 'k1:dev' })).toThrow('not 32 bytes')
  })

  test('no value is ever repeated', () => {
    const variables = Object.values(settings).map(({ variable }) => variable)
    const value = fc.stringMatching(/^[Q-Z]{3}[a-z0-9:, @/-]{10,30}[Q-Z]{3}$/)
    fc.assert(
      fc.property(value, fc.constantFrom(...variables), (text, variable) => {
        const env = { ...production, META_VERIFY_TOKEN: '', [variable]: text }
        const error = refusal(() => readConfig({ ...env, PORT: '!' }, { mode: 'start' }))
        expectNone(error.message, text)
        expectNone(JSON.stringify(error.problems), text)
      }),
    )
  })
})

test('alerts leave by https outside development, unless the network is our own', () => {
  const plain = {
    SLACK_WEBHOOK_URL: 'http://chat.example.test/hook',
    PAGERDUTY_EVENTS_URL: 'http://pager.example.test/',
  }
  expect(refusedVariables(plain)).toEqual(['SLACK_WEBHOOK_URL', 'PAGERDUTY_EVENTS_URL'])
  expect(start({ ...plain, ALLOW_PRIVATE_TARGETS: '1' })).toMatchObject({
    slackWebhookUrl: plain.SLACK_WEBHOOK_URL,
  })
  expect(dev(plain).slackWebhookUrl).toBe(plain.SLACK_WEBHOOK_URL)
})

describe('backends', () => {
  test('Cloud Tasks needs its settings, and https outside development', () => {
    expect(
      refusedVariables({ DISPATCH: 'cloud-tasks', INTERNAL_TASK_BASE_URL: 'http://10.0.0.1' }),
    ).toEqual([
      'GCP_PROJECT',
      'GCP_LOCATION',
      'INBOUND_TASK_QUEUE_NAME',
      'OUTBOUND_TASK_QUEUE_NAME',
      'INTERNAL_TASK_TOKEN',
      'INTERNAL_TASK_BASE_URL',
    ])
  })

  test('Cloud Tasks with all of them is taken; more than one queue and token may be named', () => {
    const config = start({ ...cloudTasks, OUTBOUND_TASK_QUEUE_NAME: 'out-1, out-2' })
    expect(config.dispatch).toBe('cloud-tasks')
    expect(config.outboundTaskQueues).toEqual(['out-1', 'out-2'])
    expect(config.taskServiceAccount).toBeUndefined()
  })

  test.each([
    [{ DEDUPE_STORE: 'redis', REDIS_URL: 'redis://r.example.test' }, { dedupeStore: 'redis' }],
    [{ DEDUPE_STORE: 'firestore', FIRESTORE_PROJECT: 'sample' }, { dedupeStore: 'firestore' }],
  ])('each is chosen by its settings: %#', (env, chosen) => {
    expect(start(env)).toMatchObject(chosen)
  })

  test.each([
    ['redis', 'REDIS_URL'],
    ['firestore', 'FIRESTORE_PROJECT'],
  ])('%s needs %s everywhere', (store, variable) => {
    const { problems } = refusal(() => dev({ DEDUPE_STORE: store }))
    expect(problems).toEqual([
      { variable, problem: `is missing, and DEDUPE_STORE is ${store}`, fix: 'set it' },
    ])
  })
})

describe('warnings', () => {
  test('a misspelled variable of ours is named with the right one', () => {
    const { warnings } = dev({
      META_APP_SECRETS: 'a value',
      CIRCUIT_COLOUR: 'red',
      DATABSE_URL: 'postgres://db.example.test/estafet',
    })
    expect(warnings).toEqual([
      'META_APP_SECRETS is set, but there is no such setting: did you mean META_APP_SECRET?',
      'CIRCUIT_COLOUR is set, but there is no such setting: see docs/configuration.md',
      'DATABSE_URL is set, but there is no such setting: did you mean DATABASE_URL?',
    ])
  })

  test("other programs' variables are none of our business", () => {
    const env = { HOME: '/root', PATH: '/bin', PORTS: '1', GCP_REGION: 'x', npm_config_port: '1' }
    expect(dev(env).warnings).toEqual([])
  })
})

test('docs/configuration.md is what the code prints', () => {
  const written = readFileSync(new URL('../docs/configuration.md', import.meta.url), 'utf8')
  expect(written, 'Out of date: npm run docs:generate').toBe(configurationMarkdown())
})
