#!/usr/bin/env node
// argv → command. The only file that ends the process.
import { Command } from 'commander'
import { runSimulator } from '../simulator/main.ts'
import { dev } from './commands/dev.ts'
import { accountConnect, health, keyCreate, tenantCreate, tenantList } from './commands/manage.ts'
import { migrateCommand } from './commands/migrate.ts'
import { start } from './commands/start.ts'
import { ConfigError, configurationMarkdown } from './config.ts'
import { AppError } from './errors.ts'
import { scrub } from './log.ts'
import { readVersion } from './runtime.ts'

const program = new Command('estafet')
  .description('A multi-tenant gateway for Meta’s WhatsApp Cloud API.')
  .version(readVersion())
  .showHelpAfterError()

program
  .command('start')
  .description('serve, as the environment says (docs/configuration.md)')
  .action(start)
program
  .command('dev')
  .description('everything on this machine, with a simulated Meta and sample data')
  .action(dev)
program
  .command('migrate')
  .description('bring the database up to date and exit')
  .action(migrateCommand)
program
  .command('simulator')
  .description('a simulated Meta on its own')
  .option('--host <host>', 'where to listen')
  .option('--port <port>', 'which port; 0 picks a free one', wholeNumber)
  .option('--app-secret <secret>', 'signs the webhooks')
  .option('--webhook-url <url>', 'where to deliver webhooks')
  .option('--verify-token <token>', 'for the handshake')
  .option('--seed <seed>', 'the same seed gives the same run')
  .action(runSimulator)
program
  .command('health')
  .description('what waits, what failed, who needs a person')
  .option('--json', 'for programs')
  .action(health)
program
  .command('config')
  .description('print docs/configuration.md')
  .option('--markdown', 'the only form there is')
  .action(() => void process.stdout.write(configurationMarkdown()))

const tenant = program.command('tenant').description('tenants')
tenant
  .command('create')
  .description('create a tenant')
  .argument('<name>')
  .option('--slug <slug>', 'short name for addresses and commands')
  .option('--json', 'for programs')
  .action((name, { slug, json }) => tenantCreate({ name, slug }, { json }))
tenant
  .command('list')
  .description('list the tenants')
  .option('--json', 'for programs')
  .action(tenantList)
program
  .command('key')
  .description('API keys')
  .command('create')
  .description('make an API key for a tenant; it is shown once')
  .argument('<tenant>', 'id or slug')
  .option('--name <name>', 'what the key is for', 'command line')
  .option('--json', 'for programs')
  .action((tenantName, { name, json }) => keyCreate(tenantName, name, { json }))
program
  .command('account')
  .description('WhatsApp accounts')
  .command('connect')
  .description('connect a number with an access token; does not call Meta')
  .argument('<tenant>', 'id or slug')
  .requiredOption('--waba-id <id>', 'WhatsApp Business Account')
  .requiredOption('--phone-number-id <id>', 'Meta’s id of the number')
  .requiredOption('--display-phone-number <number>', 'as people write it')
  .requiredOption(
    '--access-token <token>',
    '"-" reads it from standard input, so that it is in no history',
  )
  .option('--json', 'for programs')
  .action(async (tenantName, options) =>
    accountConnect(
      tenantName,
      {
        waba_id: options.wabaId,
        phone_number_id: options.phoneNumberId,
        display_phone_number: options.displayPhoneNumber,
        access_token: options.accessToken === '-' ? await readStandardInput() : options.accessToken,
      },
      options,
    ),
  )

// A bug. The process starts afresh under its supervisor; what was acknowledged is in the database.
process.on('uncaughtException', (error) => {
  process.stderr.write(`estafet: ${scrub(explain(error))}\n`)
  process.exit(1)
})

program.parseAsync().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  },
)

function explain(error: unknown): string {
  if (error instanceof ConfigError || error instanceof AppError) return error.message
  if (!(error instanceof Error)) return 'estafet: unknown error'
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `estafet: ${error.message}${cause}`
}

function wholeNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text))
    throw new AppError('INVALID_REQUEST', 400, '--port: a number from 0 to 65535')
  return Number(text)
}

async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of process.stdin) parts.push(part)
  return Buffer.concat(parts).toString('utf8').trim()
}
