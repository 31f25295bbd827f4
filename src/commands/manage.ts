// Commands that work on the database beside a running gateway: tenants, keys, accounts, health.
import { connectAccount, type NewAccount } from '../accounts/connect.ts'
import { showAccount } from '../accounts/show.ts'
import { account, newAccount, newApiKey, newTenant } from '../api/contract.ts'
import { type Config, readConfig } from '../config.ts'
import { AppError, notFound } from '../errors.ts'
import { isUuid } from '../ids.ts'
import { type Health, readHealth } from '../ops/health.ts'
import { releaseAccount } from '../outbox/release.ts'
import { createRuntime, type Runtime } from '../runtime.ts'
import { createTenant, type NewTenant } from '../tenants/create.ts'
import { createApiKey } from '../tenants/keys.ts'
import { findTenantBySlug, isTenant } from '../tenants/resolve.ts'
import { systemClock } from '../time-and-chance.ts'
import { joinDatabase } from './database.ts'
import { readDevSecrets } from './dev-secrets.ts'
import { readOptions } from './read-options.ts'
import { unlessStopped } from './signals.ts'
import { paint, printable } from './text.ts'

/** The name in the audit for what was done at the command line. */
export const actor = 'cli'

export interface TableOptions {
  json?: boolean
}

export interface PageOptions extends TableOptions {
  limit?: string
  after?: string
}

export async function tenantCreate(
  name: string,
  options: TableOptions & { slug?: string },
): Promise<void> {
  const { slug } = options
  const checked: NewTenant = readOptions(newTenant, { name, slug }, { name: '<name>' })
  await withRuntime(async (runtime) => {
    const row = await createTenant(runtime.db.api, checked, { ...runtime, actor })
    print(
      options,
      row,
      `Tenant ${row.id} (${row.slug}) is there. Next: estafet key create ${row.slug}`,
    )
  })
}

export async function keyCreate(
  tenant: string,
  options: TableOptions & { name: string },
): Promise<void> {
  const { name } = options
  readOptions(newApiKey, { name })
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const made = await runtime.db.api.transaction((tx) =>
      createApiKey(tx, tenantId, name, { ...runtime, actor }),
    )
    print(options, made, `${made.key}\nThis key is shown once. Its id is ${made.id}.`)
  })
}

interface ConnectOptions extends TableOptions {
  wabaId: string
  phoneNumberId: string
  displayPhoneNumber: string
  /** `-`: it is on standard input. */
  accessToken: string
}

async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part)
  return Buffer.concat(parts).toString('utf8').trim()
}

export async function accountConnect(tenant: string, options: ConnectOptions): Promise<void> {
  const input = {
    waba_id: options.wabaId,
    phone_number_id: options.phoneNumberId,
    display_phone_number: options.displayPhoneNumber,
    access_token: options.accessToken === '-' ? await readStandardInput() : options.accessToken,
  }
  const checked: NewAccount = readOptions(newAccount, input)
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const appId = runtime.config.metaAppId ?? null
    const row = await connectAccount(runtime.db.api, tenantId, checked, {
      ...runtime,
      actor,
      appId,
      onConnected: releaseAccount,
    })
    const shown = showAccount(row, runtime.clock.now(), runtime.config.tokenWarningDays)
    print(
      options,
      account.parse(shown),
      `Account ${shown.id}: ${row.display_phone_number} is connected.`,
    )
  })
}

export async function health(options: TableOptions): Promise<void> {
  await withRuntime(async ({ db, dedupe, clock, config }) => {
    const now = await readHealth(db.api, clock.now(), {
      deadLetterThreshold: config.dlqAlertThreshold,
      blockers: await dedupe.problems(),
    })
    const lines = [
      `status             ${now.status}${now.reasons.length > 0 ? `: ${now.reasons.join('; ')}` : ''}`,
      `webhooks waiting   ${now.webhook_events_pending_count}`,
      `messages waiting   ${now.outbox_pending_count}${statesText(now)}`,
      `oldest             ${now.oldest_pending_seconds === null ? '-' : `${Math.round(now.oldest_pending_seconds)} s`}`,
      `open dead letters  ${now.dlq_count}${now.oldest_dead_letter_seconds === null ? '' : `, the oldest for ${Math.round(now.oldest_dead_letter_seconds)} s`}`,
      `webhook answered   ${latencyText(now.webhook_ack_p95_ms)}`,
      `webhook processed  ${latencyText(now.inbound_processing_p95_ms)}`,
      `call to Meta       ${latencyText(now.send_p95_ms)}`,
      `accepted by Meta   ${now.send_success_rate_last_1h === null ? '-' : `${(now.send_success_rate_last_1h * 100).toFixed(1)} % in the last hour`}`,
      `need reconnecting  ${now.accounts_needing_reauth.length}`,
    ]
    print(options, now, lines.join('\n'))
  })
}

function statesText({ sends_by_state }: Health): string {
  const told = Object.entries(sends_by_state).flatMap(([state, sends]) =>
    state !== 'dead' && state !== 'unknown' ? [`${sends.count} ${state}`] : [],
  )
  return told.length > 0 ? ` (${told.join(', ')})` : ''
}

function latencyText(p95Ms: number | null): string {
  return p95Ms === null ? '-' : `95 % within ${p95Ms} ms`
}

/** The one way in which commands answer: a JSON document, or text in which nobody's words drive the terminal. */
export function print(options: TableOptions, value: unknown, text: string): void {
  const shown = options.json ? JSON.stringify(value, null, 2) : paint(printable(text))
  process.stdout.write(`${shown}\n`)
}

export async function tenantNamed({ db }: Runtime, idOrSlug: string): Promise<string> {
  const id = isUuid(idOrSlug)
    ? (await isTenant(db.api, idOrSlug)) && idOrSlug
    : await findTenantBySlug(db.api, idOrSlug)
  if (!id) throw notFound('TENANT_NOT_FOUND', 'tenant')
  return id
}

export async function withRuntime(work: (runtime: Runtime) => Promise<void>): Promise<void> {
  const config = await commandConfig()
  const database = await joinDatabase(config, systemClock)
  try {
    const runtime = createRuntime({
      config: { ...config, logLevel: 'error' },
      databaseUrl: database.url,
    })
    try {
      await unlessStopped(work(runtime))
    } catch (error) {
      // 42P01: a table is missing. 22023 at connecting: our role is.
      const { code, cause } = error as { code?: string; cause?: { code?: string } }
      if (code !== '42P01' && cause?.code !== '22023') throw error
      throw new AppError(
        'NOT_MIGRATED',
        500,
        'This database has no schema yet. Run: estafet migrate',
      )
    } finally {
      await runtime.close()
    }
  } finally {
    await database.close()
  }
}

/** Beside `npm run dev` a command needs no environment: it takes what dev made up. */
export async function commandConfig(): Promise<Config> {
  const { dataDir, databaseUrl } = readConfig(undefined, { mode: 'dev' })
  const secrets = databaseUrl === undefined ? await readDevSecrets(dataDir) : undefined
  return secrets
    ? readConfig(undefined, {
        mode: 'dev',
        fallbacks: { ...secrets.environment, ...secrets.addresses },
      })
    : readConfig(undefined, { mode: 'start' })
}
