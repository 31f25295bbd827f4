// The Terraform, as far as it can be judged without a cloud: what it sets, what it limits, whom it lets in.
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import {
  accepted,
  allSettings,
  type Block,
  connectionsPerProcess,
  readTerraform,
  realSecrets,
  secretVariables,
  textOf,
  variables,
} from '../support/deployment.ts'

const terraform = readTerraform()
const { locals } = terraform

function resource(type: string, name: string): Block {
  const found = terraform.resources.find((it) => it.type === type && it.name === name)
  if (!found) throw new Error(`no ${type}.${name}`)
  return found.body
}
const [run] = resource('google_cloud_run_v2_service', 'estafet').template
const [container] = run.containers

/** An expression, as the parser gives it. */
const hcl = (expression: string) => `\${${expression}}`

/** The names in a list within an expression. */
const quoted = (text: string) => [...text.matchAll(/"([A-Z][A-Z0-9_]+)"/g)].map(([, name]) => name)

const plain: string[] = [
  ...Object.keys(locals.settings),
  ...Object.keys(locals.optional_settings),
  ...container.env.map((it: Block) => it.name),
]
const given = quoted(locals.given_secrets)
const made = Object.keys(locals.made_secrets)
const optional = quoted(terraform.variables.optional_secrets?.validation[0].condition)

/** The defaults of an object's attributes, from its type. */
function defaultsOf(variable: string): Record<string, number | boolean | string> {
  const type: string = terraform.variables[variable]?.type
  const found = type.matchAll(/(\w+)\s*=\s*optional\(\w+, ([^)]+)\)/g)
  return Object.fromEntries([...found].map(([, name, value = '']) => [name, JSON.parse(value)]))
}

/** Whether all rules of a variable hold; they are plain comparisons, which read the same in JavaScript. */
function allows(variable: string, changed: Record<string, number>): boolean {
  const value = { ...defaultsOf(variable), ...changed }
  const rules: Block[] = terraform.variables[variable]?.validation
  return rules.every(({ condition }) =>
    runInNewContext(condition.slice(2, -1).replaceAll('var.', 'given.'), {
      given: { [variable]: value },
    }),
  )
}

describe('the files', () => {
  test('name only what is there, and every variable is described and used', () => {
    const names = (pattern: RegExp) =>
      new Set([...terraform.text.matchAll(pattern)].map(([, name = '']) => name))
    expect([...names(/\bvar\.(\w+)/g)].sort()).toEqual(Object.keys(terraform.variables).sort())
    for (const [name, { description, type }] of Object.entries(terraform.variables)) {
      expect([name, typeof description, typeof type]).toEqual([name, 'string', 'string'])
    }
    const usedLocals = [...names(/\blocal\.(\w+)/g)].sort()
    expect(usedLocals).toEqual(Object.keys(locals).sort())
    const declared = terraform.resources.map(({ type, name }) => `${type}.${name}`)
    const referred = names(/(?<![\w."/-])((?:google|random)_\w+\.\w+)/g)
    referred.delete('google_project.this')
    expect([...referred].filter((it) => !declared.includes(it))).toEqual([])
    expect(terraform.text).toContain('data "google_project" "this"')
  })

  test('do not go round in circles', () => {
    const parts = new Map<string, unknown>([
      ...terraform.resources.map(({ type, name, body }) => [`${type}.${name}`, body] as const),
      ...Object.entries(locals).map(([name, value]) => [`local.${name}`, value] as const),
    ])
    const needs = (part: string) => {
      const text = JSON.stringify(parts.get(part))
      return [...parts.keys()].filter((other) => new RegExp(`\\b${other}\\b`).test(text))
    }
    const isDone = new Set<string>()
    function visit(part: string, path: string[]): void {
      expect(path).not.toContain(part)
      if (isDone.has(part)) return
      for (const other of needs(part)) visit(other, [...path, part])
      isDone.add(part)
    }
    for (const part of parts.keys()) visit(part, [])
    expect(isDone.size).toBe(parts.size)
  })

  test('pin versions', () => {
    expect(terraform.text).toMatch(/required_version = ">= 1\.\d+"/)
    expect(terraform.text.match(/version = "~> \d+\.\d+"/g)).toHaveLength(2)
  })

  test('tell where webhooks go', () => {
    expect(terraform.outputs.webhook_url?.value).toBe(
      `${hcl('local.public_url')}/api/webhooks/meta/whatsapp`,
    )
    for (const { description } of Object.values(terraform.outputs)) expect(description).toBeTruthy()
  })
})

describe('the settings', () => {
  test('exist; plain ones are no secrets, and secrets are', () => {
    expect(plain.filter((it) => !variables.includes(it) || secretVariables.includes(it))).toEqual(
      [],
    )
    const secrets = [...given, ...made, ...optional]
    expect(secrets.filter((it) => !secretVariables.includes(it as string))).toEqual([])
    expect(secretVariables.filter((it) => !secrets.includes(it))).toEqual([])
    expect(new Set(secrets).size).toBe(secrets.length)
  })

  test('are all that this mode requires', () => {
    const modes = ['deployed', 'cloud-tasks', 's3', 'redis', 'firestore']
    const required = allSettings
      .filter(({ required: when }) =>
        modes.includes(typeof when === 'object' ? when.value : `${when}`),
      )
      .map(({ variable }) => variable)
    expect([...plain, ...given, ...made]).toEqual(
      expect.arrayContaining([...required, 'DATABASE_URL', 'PUBLIC_URL']),
    )
  })

  test('no secret can be set in plain sight', () => {
    const rules: Block[] = terraform.variables.extra_settings?.validation
    expect(quoted(rules.at(-1)?.condition).sort()).toEqual([...secretVariables].sort())
    expect(container.dynamic.env.map((it: Block) => it.for_each)).toEqual([
      hcl('local.plain_settings'),
      hcl('local.secret_settings'),
    ])
    const [job] = resource('google_cloud_run_v2_job', 'cli').template[0].template
    expect(job.containers[0].dynamic.env).toEqual(container.dynamic.env)
    expect(container.dynamic.env[1].content[0].value_source).toBeDefined()
  })

  test.each(['postgres', 'redis', 'firestore'])('make a gateway that starts, with %s', (store) => {
    const literal = Object.entries(locals.settings as Record<string, string>).filter(
      ([, value]) => !value.includes('${'),
    )
    const config = accepted({
      ...Object.fromEntries(literal),
      ...realSecrets,
      ESTAFET_ENV: 'production',
      ROLES: 'api',
      GCP_PROJECT: 'sample-project',
      GCP_LOCATION: 'europe-west1',
      INBOUND_TASK_QUEUE_NAME: 'estafet-inbound-1,estafet-inbound-2',
      OUTBOUND_TASK_QUEUE_NAME: 'estafet-outbound-1,estafet-outbound-2',
      INTERNAL_TASK_BASE_URL: 'https://estafet-tasks-123456789012.europe-west1.run.app',
      INTERNAL_TASK_TOKEN: 'q7R'.repeat(16),
      DEDUPE_STORE: store,
      S3_BUCKET: 'sample-project-estafet-media',
      S3_ACCESS_KEY_ID: 'GOOG1EXAMPLE',
      S3_SECRET_ACCESS_KEY: 'fictional/secret+of-a-key',
      PUBLIC_URL: 'https://estafet-gateway-123456789012.europe-west1.run.app',
      SEND_TIMEOUT_MS: '15000',
      DATABASE_URL:
        'postgres://estafet:x9Y8z7@%2Fcloudsql%2Fsample-project%3Aeurope-west1%3Aestafet-postgres/estafet',
      ...(store === 'redis' && { REDIS_URL: 'redis://:a%2Fb@10.8.0.3:6379' }),
      ...(store === 'firestore' && { FIRESTORE_PROJECT: 'sample-project' }),
    })
    expect(config).toMatchObject({
      dispatch: 'cloud-tasks',
      mediaStore: 's3',
      s3Endpoint: 'https://storage.googleapis.com',
      warnings: [],
    })
  })
})

describe('the queues', () => {
  test.each(['inbound', 'outbound'])('%s ones have the limits of their variables', (kind) => {
    const { rate_limits, retry_config, http_target } = resource('google_cloud_tasks_queue', kind)
    expect(rate_limits).toEqual([
      {
        max_dispatches_per_second: hcl(`var.${kind}_queues.max_dispatches_per_second`),
        max_concurrent_dispatches: hcl(`var.${kind}_queues.max_concurrent_dispatches`),
      },
    ])
    expect(retry_config).toEqual([
      {
        min_backoff: `${hcl('var.task_retries.min_backoff_seconds')}s`,
        max_backoff: `${hcl('var.task_retries.max_backoff_seconds')}s`,
        max_doublings: hcl('var.task_retries.max_doublings'),
        max_attempts: hcl('var.task_retries.max_attempts'),
      },
    ])
    expect(http_target[0].oidc_token).toEqual([
      {
        service_account_email: hcl('google_service_account.caller.email'),
        audience: hcl('local.tasks_url'),
      },
    ])
    expect(locals[`${kind}_queue_names`]).toContain(`range(var.${kind}_queues.count)`)
  })

  test.each([
    ['inbound_queues', 'max_dispatches_per_second', 50, 500],
    ['inbound_queues', 'max_concurrent_dispatches', 50, 5000],
    ['outbound_queues', 'max_dispatches_per_second', 5, 20],
    ['outbound_queues', 'max_concurrent_dispatches', 5, 20],
    ['outbound_queues', 'count', 2, 100],
    ['task_retries', 'min_backoff_seconds', 5, 600],
    ['task_retries', 'max_backoff_seconds', 5, 600],
    ['task_retries', 'max_attempts', 1, 100],
  ])('%s.%s is at least %d and may be %d', (variable, attribute, least, most) => {
    const isAllowed = (value: number) => allows(variable, { [attribute]: value })
    const standard = Number(defaultsOf(variable)[attribute])
    expect([standard, least, most].map(isAllowed)).toEqual([true, true, true])
    expect(isAllowed(least - 1)).toBe(false)
    const isBounded = !(attribute === 'count' || most === 5000)
    expect(isAllowed(most + 1)).toBe(!isBounded)
  })

  test('can be served: as many tasks as they may have under way have a place', () => {
    const places = defaultsOf('tasks')
    const underWay = ['inbound_queues', 'outbound_queues']
      .map(defaultsOf)
      .reduce((sum, it) => sum + Number(it.count) * Number(it.max_concurrent_dispatches), 0)
    expect(Number(places.max_instances) * Number(places.concurrency)).toBeGreaterThanOrEqual(
      underWay,
    )
    const [rule] = resource('google_cloud_run_v2_service', 'estafet').lifecycle[0].precondition
    expect(rule.condition).toBe(
      hcl('var.tasks.max_instances * var.tasks.concurrency >= local.tasks_under_way'),
    )
  })
})

describe('the sweep', () => {
  const sweep = resource('google_cloud_scheduler_job', 'sweep')
  const [target] = sweep.http_target

  test('is called every minute, at its path, with token and identity', () => {
    expect(terraform.variables.sweep_schedule?.default).toBe('* * * * *')
    expect(target).toMatchObject({
      http_method: 'POST',
      uri: `${hcl('local.tasks_url')}/internal/sweep`,
      headers: {
        'X-Internal-Token': hcl('random_password.task_token[var.task_tokens[0]].result'),
      },
    })
    expect(textOf('src/tasks/routes.ts')).toContain("'/internal/sweep'")
    expect(target.oidc_token).toEqual(
      resource('google_cloud_tasks_queue', 'inbound').http_target[0].oidc_token,
    )
    expect(locals.made_secrets.INTERNAL_TASK_TOKEN).toContain('for name in var.task_tokens')
  })

  test('may take as long as a task', () => {
    expect(sweep.attempt_deadline).toBe(`${locals.services.tasks.timeout_seconds}s`)
  })
})

describe('the services', () => {
  const { gateway, tasks } = locals.services

  test('one is open, the other is for Google’s own callers with an identity', () => {
    expect(gateway).toMatchObject({ ingress: 'INGRESS_TRAFFIC_ALL', is_public: true })
    expect(tasks).toMatchObject({ ingress: 'INGRESS_TRAFFIC_INTERNAL_ONLY', is_public: false })
    expect(resource('google_cloud_run_v2_service_iam_member', 'caller')).toMatchObject({
      name: hcl('google_cloud_run_v2_service.estafet["tasks"].name'),
      role: 'roles/run.invoker',
      member: hcl('google_service_account.caller.member'),
    })
  })

  test('have roles that answer there, and time for more than the slowest send', () => {
    expect([gateway.roles, tasks.roles]).toEqual(['api,console', 'api'])
    const [rule] = terraform.variables.send_timeout_ms?.validation ?? []
    const slowestMs = Number(/<= (\d+)/.exec(rule.condition)?.[1])
    expect(tasks.timeout_seconds * 1000).toBeGreaterThan(2 * slowestMs)
    expect(gateway.timeout_seconds * 1000).toBeGreaterThan(2 * slowestMs)
  })

  test('are asked whether they are ready before they get traffic, and whether they are alive after', () => {
    const [startup] = container.startup_probe
    expect(startup.http_get).toEqual([{ path: '/readyz' }])
    expect(startup.period_seconds * startup.failure_threshold).toBeLessThanOrEqual(240)
    expect(startup.timeout_seconds).toBeLessThan(startup.period_seconds)
    expect(container.liveness_probe[0].http_get).toEqual([{ path: '/healthz' }])
  })

  test('Meta never waits for a start, and what follows its 200 has CPU', () => {
    expect(defaultsOf('gateway').min_instances).toBe(1)
    expect(allows('gateway', { min_instances: 0 })).toBe(false)
    expect(gateway.cpu_only_in_requests).toBe(false)
  })

  test('nobody has a right that is not needed', () => {
    const roles = [...terraform.text.matchAll(/"(roles\/[\w.]+)"/g)].map(([, role]) => role)
    expect([...new Set(roles)].sort()).toEqual([
      'roles/cloudsql.client',
      'roles/cloudtasks.enqueuer',
      'roles/datastore.user',
      'roles/run.invoker',
      'roles/secretmanager.secretAccessor',
      'roles/storage.objectUser',
    ])
    expect(terraform.text).not.toContain('allUsers')
  })
})

describe('the stores', () => {
  const [database] = resource('google_sql_database_instance', 'this').settings

  test('the database is backed up to any moment, and open to nobody but connectors', () => {
    expect(database.backup_configuration[0]).toMatchObject({
      enabled: true,
      point_in_time_recovery_enabled: true,
    })
    expect(database.availability_type).toBe(
      hcl('var.database.high_availability ? "REGIONAL" : "ZONAL"'),
    )
    expect(database.connector_enforcement).toBe('REQUIRED')
    expect(terraform.text).not.toContain('authorized_networks')
  })

  test('it has room for the connections of all instances, twice', () => {
    const perProcess = connectionsPerProcess()
    expect(locals.connections).toContain(
      `2 * ${perProcess} * (var.gateway.max_instances + var.tasks.max_instances)`,
    )
    expect(database.database_flags).toEqual([
      { name: 'max_connections', value: hcl('tostring(local.connections)') },
    ])
  })

  test('dedupe keys in Firestore end by themselves, where the program puts them', () => {
    const { for_each, ...expiry } = resource('google_firestore_field', 'expiry')
    expect(expiry).toMatchObject({ field: 'expireAt', ttl_config: [{}] })
    const [, collection] = /toset\(\["(\w+)"\]\)/.exec(for_each) ?? []
    expect(textOf('src/dedupe/firestore.ts')).toContain(`collection = '${collection}'`)
  })

  test('a full Redis forgets instead of refusing', () => {
    expect(resource('google_redis_instance', 'dedupe')).toMatchObject({
      auth_enabled: true,
      redis_configs: { 'maxmemory-policy': 'allkeys-lru' },
    })
  })
})
