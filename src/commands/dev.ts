// Everything on one machine with one command: Postgres, gateway, workers, a simulated Meta, and two sample tenants.
import { resolve } from 'node:path'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { connectAccount } from '../accounts/connect.ts'
import { tokenOwner } from '../accounts/vault.ts'
import { type Config, readConfig } from '../config.ts'
import { sql } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { startGateway } from '../gateway.ts'
import { releaseAccount } from '../outbox/release.ts'
import { howToCall } from '../package-root.ts'
import { findPersonByEmail } from '../people/find.ts'
import { createPerson, givePassword } from '../people/manage.ts'
import { createPasswords } from '../people/passwords.ts'
import { createRuntime, logFor, type Runtime } from '../runtime.ts'
import { createTenant } from '../tenants/create.ts'
import { createApiKey } from '../tenants/keys.ts'
import { findTenantBySlug } from '../tenants/resolve.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { migrateWhenReachable, openDatabase } from './database.ts'
import { removeDevEnvironment, writeDevEnvironment } from './dev-environment.ts'
import { type DevSecrets, ensureDevSecrets, writeDevSecrets } from './dev-secrets.ts'
import { explainPort } from './port.ts'
import {
  firstSample,
  type SampleTenant,
  samplePeople,
  sampleTenants,
  trickle,
} from './sample-data.ts'
import { stoppingWith, untilStopped } from './signals.ts'

const clock = systemClock
const random = systemRandom(clock)

export async function dev(): Promise<void> {
  const stops: (() => Promise<unknown>)[] = []
  // From the beginning: who presses Ctrl-C during the start must not be left with a running Postgres.
  const stopped = untilStopped()
  const failures: unknown[] = []
  const failed = (error: unknown) => failures.push(error)
  await startAll(stops, stoppingWith(stopped))
    .then(() => stopped)
    .then((signal) => process.stdout.write(`\n${signal}: stopping.\n`))
    .catch(failed)
  // Each, whatever became of the one before: Postgres is among the last.
  for (const stop of stops.reverse()) await stop().catch(failed)
  if (failures.length > 0) throw failures[0]
}

async function startAll(stops: (() => Promise<unknown>)[], stopping: AbortSignal): Promise<void> {
  const { dataDir } = readConfig(undefined, { mode: 'dev' })
  const secrets = await ensureDevSecrets(dataDir, random)
  const draft = readConfig(undefined, { mode: 'dev', fallbacks: secrets.environment })

  const simulator = await startSimulator({
    host: draft.host,
    port: draft.simulatorPort,
    appSecret: draft.metaAppSecrets[0] ?? '',
    ...(draft.metaAppId !== undefined && { appId: draft.metaAppId }),
    verifyToken: draft.metaVerifyToken ?? '',
    clock,
    random,
  }).catch((error) => explainPort(error, draft.simulatorPort, 'SIMULATOR_PORT'))
  stops.push(() => simulator.close())

  // The simulator is Meta, unless the environment names another.
  const config = readConfig(undefined, {
    mode: 'dev',
    fallbacks: {
      ...secrets.environment,
      META_GRAPH_URL: simulator.url,
      // Whoever ends an outage at the simulator wants to see it end, not to wait for minutes.
      CIRCUIT_HALF_OPEN_SECONDS: '5',
    },
  })
  const database = await openDatabase(config, clock)
  stops.push(() => database.close())
  const log = logFor(config, clock)
  if (!(await migrateWhenReachable(database.url, clock, log, stopping))) return
  const isPlayed = config.metaGraphUrl === simulator.url
  const runtime = createRuntime({
    config,
    databaseUrl: database.url,
    clock,
    random,
    log,
    simulatorUrl: isPlayed ? simulator.url : undefined,
  })
  if (isPlayed) await remindSimulator(runtime, simulator)
  const gateway = await startGateway(runtime).catch((error) =>
    explainPort(error, config.port, 'PORT'),
  )
  stops.push(() => gateway.stop())

  for (const sample of sampleTenants) await ensureSample(runtime, simulator, sample, secrets)
  await ensurePeople(runtime, secrets)
  // After the samples: their making is no news for the gateway.
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
  // For commands beside this one: where Meta is, and where we are.
  secrets.addresses = { META_GRAPH_URL: config.metaGraphUrl, PUBLIC_URL: gateway.url }
  await writeDevSecrets(dataDir, secrets)

  const stopTrickle = new AbortController()
  const trickling = trickle(simulator.customerWrites, clock, random, stopTrickle.signal)
  stops.push(async () => {
    stopTrickle.abort()
    await trickling
  })
  const addresses = { gatewayUrl: gateway.url, simulatorUrl: simulator.url }
  stops.push(() => removeDevEnvironment(dataDir))
  const file = await writeDevEnvironment(dataDir, {
    ...variables(addresses, config, secrets),
    ESTAFET_TENANT: (await findTenantBySlug(runtime.db.api, firstSample.slug)) ?? '',
  })
  process.stdout.write(welcome({ ...addresses, file }, config, secrets))
}

/** What a shell needs for the first sample tenant. */
function variables(
  { gatewayUrl, simulatorUrl }: Record<'gatewayUrl' | 'simulatorUrl', string>,
  config: Config,
  { tenantKeys }: DevSecrets,
): Record<string, string> {
  return {
    ESTAFET_URL: gatewayUrl,
    ESTAFET_KEY: tenantKeys[firstSample.slug] ?? '',
    ESTAFET_OPERATOR_KEY: config.operatorKeys[0]?.key ?? '',
    ESTAFET_PHONE_NUMBER_ID: firstSample.phoneNumberId,
    META_APP_SECRET: config.metaAppSecrets[0] ?? '',
    META_VERIFY_TOKEN: config.metaVerifyToken ?? '',
    SIMULATOR_URL: simulatorUrl,
    CUSTOMER: firstSample.customers[0].waId,
    // Where commands beside this one find the rest, whatever folder they are called in.
    DATA_DIR: resolve(config.dataDir),
  }
}

/**
 * It forgets everything with its process, and the gateway does not: what is due at the start, a look at a token or a message
 * that waits, would be refused, and every number would have to be reconnected.
 */
async function remindSimulator(
  { db, vault, config }: Runtime,
  simulator: Simulator,
): Promise<void> {
  const numbers = await db.work.query(sql<ConnectedNumber>`
    select tenant_id, id, waba_id, phone_number_id, display_phone_number, access_token
    from whatsapp_accounts
    where app_id = ${config.metaAppId ?? null}`)
  for (const { tenant_id, id, access_token: sealed, ...number } of numbers) {
    try {
      const access_token = vault.open(sealed, tokenOwner(tenant_id, id))
      simulator.registerNumber({ ...number, access_token })
    } catch {
      // Sealed with a key that is no longer set, or no number of the simulator's kind: Meta would not know it either.
    }
  }
}

interface ConnectedNumber {
  tenant_id: string
  id: string
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  access_token: string
}

/** Makes what is missing of a sample tenant, so that a second start goes on with the same data. */
async function ensureSample(
  runtime: Runtime,
  simulator: Simulator,
  sample: SampleTenant,
  secrets: DevSecrets,
): Promise<void> {
  const db = runtime.db.api
  const by = { ...runtime, actor: 'dev', appId: runtime.config.metaAppId ?? null }
  const known = await findTenantBySlug(db, sample.slug)
  const tenantId =
    known ?? (await createTenant(db, { name: sample.name, slug: sample.slug }, by)).id
  const number = {
    waba_id: sample.wabaId,
    phone_number_id: sample.phoneNumberId,
    display_phone_number: sample.displayPhoneNumber,
    access_token: sample.accessToken,
  }
  // First: the gateway may ask about a number as soon as it is connected.
  simulator.registerNumber(number)
  simulator.changeNumber(number.phone_number_id, { verified_name: sample.name })
  simulator.changeAccount(number.waba_id, { name: sample.name })
  await connectAccount(db, tenantId, number, { ...by, onConnected: releaseAccount }).catch(
    (error) => {
      if (!(error instanceof AppError && error.code === 'NUMBER_TAKEN')) throw error
    },
  )
  if (!known || secrets.tenantKeys[sample.slug] === undefined) {
    const made = await db.transaction((tx) => createApiKey(tx, tenantId, 'made by dev', by))
    secrets.tenantKeys[sample.slug] = made.key
  }
}

/** People whose password somebody changed keep theirs. */
async function ensurePeople(runtime: Runtime, { consolePassword = '' }: DevSecrets): Promise<void> {
  const db = runtime.db.api
  const by = { ...runtime, actor: 'dev' }
  const hash = await createPasswords(random).hash(consolePassword)
  const tenantId = await findTenantBySlug(db, firstSample.slug)
  for (const person of samplePeople) {
    if (await findPersonByEmail(db, person.email)) continue
    const isOperator = person.role === 'operator'
    await db.transaction(async (tx) => {
      const given = { ...person, tenantId: isOperator ? null : (tenantId ?? null) }
      await givePassword(tx, await createPerson(tx, given, by), hash, by)
    })
  }
}

function welcome(
  { gatewayUrl, simulatorUrl, file }: Record<'gatewayUrl' | 'simulatorUrl' | 'file', string>,
  config: Config,
  secrets: DevSecrets,
): string {
  const operatorKey = config.operatorKeys[0]?.key ?? ''
  const samples = sampleTenants.map(
    (sample) => `  ${sample.name}\n    key ${secrets.tenantKeys[sample.slug]}`,
  )
  const people = samplePeople.map(({ email, role }) => `  ${role.padEnd(8)}  ${email}`)
  const firstKey = secrets.tenantKeys[firstSample.slug]
  const firstCustomer = firstSample.customers[0].waId
  return `
Estafet        ${gatewayUrl}
Console        ${gatewayUrl}/console
Guide          ${gatewayUrl}/docs/guide
API reference  ${gatewayUrl}/docs
Simulated Meta ${simulatorUrl}
Customer phone ${simulatorUrl}/phone
Operator key   ${operatorKey}

Sign in to the console, all with the password ${secrets.consolePassword}
${people.join('\n')}

Sample tenants, with customers who write every few seconds (all fictional). Open the customer
phone to be one of them, watch the ticks, and let the simulated Meta misbehave:
${samples.join('\n')}

Try:
  curl -s -H 'Authorization: Bearer ${firstKey}' ${gatewayUrl}/api/whatsapp/conversations
  curl -s ${gatewayUrl}/api/whatsapp/meta/send -H 'Authorization: Bearer ${firstKey}' -H 'Content-Type: application/json' \\
    -d '{"to": "${firstCustomer}", "text": {"body": "Good morning"}}'
  curl -s -H 'Authorization: Bearer ${operatorKey}' ${gatewayUrl}/api/admin/whatsapp/health
  ${howToCall} account link ${firstSample.slug}     (a page to connect another number on)
  ${howToCall} doctor                        (whether the connected ones are well)
Addresses and keys for the samples of the documents, in your shell:  . ${file}

Data is kept in ${config.databaseUrl === undefined ? config.dataDir : 'the database of DATABASE_URL'}. Ctrl-C stops everything.

`
}
