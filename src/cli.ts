#!/usr/bin/env node
// argv → command. The only file that ends the process.
import { Command, Option } from 'commander'
import { runSimulator } from '../simulator/main.ts'
import { auditList, auditVerify } from './commands/audit.ts'
import {
  benchHealthCommand,
  benchInboundCommand,
  benchIngestCommand,
  benchOutboxCommand,
  benchWeatherCommand,
} from './commands/bench.ts'
import { accountLink } from './commands/connect.ts'
import {
  accountResponder,
  suppressionAdd,
  suppressionLiftCommand,
  suppressionList,
} from './commands/consent.ts'
import { declareAlertChannels } from './commands/declare-alert-channels.ts'
import { declareEventEndpoints } from './commands/declare-event-endpoints.ts'
import { declareTemplates } from './commands/declare-templates.ts'
import { declareUsers } from './commands/declare-users.ts'
import { dev } from './commands/dev.ts'
import { dlqDecide, dlqInspect, dlqList } from './commands/dlq.ts'
import { doctorCommand } from './commands/doctor.ts'
import { keysCommand } from './commands/keys.ts'
import { accountConnect, health, keyCreate, tenantCreate, tenantList } from './commands/manage.ts'
import { migrateCommand } from './commands/migrate.ts'
import { reconcileCommand, replayCommand, traceCommand } from './commands/ops.ts'
import { explainPort } from './commands/port.ts'
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
  .option('--app-id <id>', 'of the app whose webhooks are delivered')
  .option('--app-secret <secret>', 'signs the webhooks')
  .option('--webhook-url <url>', 'where to deliver webhooks')
  .option('--verify-token <token>', 'for the handshake')
  .option('--seed <seed>', 'the same seed gives the same run')
  .option('--scenario <name>', 'what goes wrong, by name or as a path to a YAML file')
  .addOption(
    new Option('--service-window <mode>', 'whether messages need a customer who wrote').choices([
      'enforced',
      'open',
    ]),
  )
  .option('--ledger-file <file>', 'keep the ledger in this file too, one JSON object a line')
  .option('--cloud-tasks-port <port>', 'emulate Google Cloud Tasks here too', wholeNumber)
  .action((options) =>
    runSimulator(options).catch((error) => explainPort(error, options.port ?? 8090, '--port')),
  )
program
  .command('health')
  .description('what waits, what failed, who needs a person')
  .option('--json', 'for programs')
  .action(health)
program
  .command('keys')
  .description('which of ENCRYPTION_KEYS are still needed; exits with 1 when one is missing')
  .option('--json', 'for programs')
  .action(async (options) => {
    if (!(await keysCommand(options))) process.exitCode = 1
  })
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
declareUsers(program)
const account = program.command('account').description('WhatsApp accounts')
account
  .command('link')
  .description('make a link to the page on which a person connects a number')
  .argument('<tenant>', 'id or slug')
  .option('--reconnect <account>', 'acc_…: to give this one a new token')
  .option('--json', 'for programs')
  .action(accountLink)
account
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
program
  .command('doctor')
  .description('whether connected numbers work, and what to do; exits with 1 when one does not')
  .argument('[account]', 'acc_…; all of them, unless said')
  .option('--tenant <tenant>', 'id or slug: only its accounts')
  .option('--repair', 'do what can be done: subscribe the app, register the number')
  .option('--json', 'for programs')
  .action(async (id, options) => {
    if (!(await doctorCommand(id, options))) process.exitCode = 1
  })

account
  .command('responder')
  .description('choose what answers a number’s messages by itself')
  .argument('<tenant>', 'id or slug')
  .argument('<account>', 'acc_…, or Meta’s id of the number')
  .argument('<responder>', 'off, echo or auto_reply')
  .option('--text <text>', 'what auto_reply says')
  .option('--reason <reason>', 'why; kept in the audit')
  .option('--json', 'for programs')
  .action(accountResponder)

const suppression = program
  .command('suppression')
  .description('contacts who opted out, or are blocked')
suppression
  .command('list')
  .description('list them, the latest change first')
  .argument('<tenant>', 'id or slug')
  .option('--state <state>', 'active, lifted or all', 'active')
  .option('--scope <scope>', 'marketing or everything')
  .option('--because <reason>', 'user_preferences, marketing_refused, stop_word, blocked, operator')
  .option('--phone-number-id <id>', 'Meta’s id of the number')
  .option('--q <text>', 'part of the contact’s name or ids')
  .option('--limit <count>', 'how many at most', '50')
  .option('--after <cursor>', 'where the page before ended')
  .option('--json', 'for programs')
  .action(suppressionList)
suppression
  .command('add')
  .description('send a contact nothing more; what waits for them ends')
  .argument('<tenant>', 'id or slug')
  .option('--to <number>', 'with the country code')
  .option('--recipient <id>', 'or else a business-scoped user id')
  .option('--phone-number-id <id>', 'from which number; the only one, unless said')
  .option('--scope <scope>', 'marketing or everything', 'everything')
  .option('--reason <reason>', 'why; kept in the audit')
  .option('--json', 'for programs')
  .action(suppressionAdd)
suppression
  .command('lift')
  .description('let a contact be written to again')
  .argument('<tenant>', 'id or slug')
  .argument('<id>', 'sup_…')
  .option('--reason <reason>', 'why; kept in the audit')
  .option('--json', 'for programs')
  .action(suppressionLiftCommand)

declareTemplates(program)
const dlq = program.command('dlq').description('dead letters: what could not be applied or sent')
withFilter(dlq.command('list'))
  .description('list them, the latest first')
  .option('--state <state>', 'open, requeued, discarded or resolved', 'open')
  .option('--limit <count>', 'how many at most', '50')
  .option('--after <cursor>', 'where the page before ended')
  .option('--json', 'for programs')
  .action(dlqList)
dlq
  .command('inspect')
  .description('show one with its payload, every error and every attempt; looking is audited')
  .argument('<id>', 'dlq_…')
  .option('--json', 'for programs')
  .action(dlqInspect)
withDecision(dlq.command('requeue'))
  .description('process or send them again, after the cause is mended')
  .option('--per-second <count>', 'how many messages are sent again a second (20)')
  .option('--start-at <time>', 'when the first of them is, RFC 3339; now, unless said')
  .action((ids, options) => dlqDecide('requeue', ids, options))
withDecision(dlq.command('discard'))
  .description('say that they are not needed')
  .action((ids, options) => dlqDecide('discard', ids, options))
withDecision(dlq.command('mark-sent'))
  .description('say that Meta has them, where nobody could tell; requeue sends them again')
  .action((ids, options) => dlqDecide('mark-sent', ids, options))

declareEventEndpoints(program)
declareAlertChannels(program)

const audit = program.command('audit').description('who did what')
audit
  .command('list')
  .description('list acts, the latest first')
  .option('--tenant <tenant>', 'id or slug')
  .option('--limit <count>', 'how many at most', '50')
  .option('--after <cursor>', 'where the page before ended')
  .option('--json', 'for programs')
  .action(auditList)
audit
  .command('verify')
  .description('check that nobody changed, removed or added a row; exits with 1 when somebody did')
  .option('--tenant <tenant>', 'id or slug')
  .option('--json', 'for programs')
  .action(async (options) => {
    if (!(await auditVerify(options))) process.exitCode = 1
  })

program
  .command('trace')
  .description('the life of one message or delivery, in the order of time')
  .argument(
    '<what>',
    'wamid, msg_…, dlq_…, an event, correlation or trace id, or h_… from a log line',
  )
  .option('--json', 'for programs')
  .action(traceCommand)
program
  .command('reconcile')
  .description('prove that everything received is accounted for; exits with 1 when it is not')
  .option('--json', 'for programs')
  .action(async (options) => {
    if (!(await reconcileCommand(options))) process.exitCode = 1
  })
program
  .command('replay')
  .description('process stored webhooks again; nothing is applied twice. Says what it would do')
  .requiredOption('--from <time>', 'received at this time or later, RFC 3339')
  .option('--to <time>', 'received before this time; now, unless said')
  .option('--tenant <tenant>', 'id or slug')
  .option('--phone-number-id <id>', 'Meta’s id of the number')
  .option('--apply', 'do it')
  .option('--reason <reason>', 'why; kept in the audit')
  .option('--json', 'for programs')
  .action(replayCommand)

const bench = program
  .command('bench')
  .description('measure this machine, beside what one would write first')
bench
  .command('ingest')
  .description('webhook to committed row: throughput, latency and CPU time, as ratios')
  .option('--quick', 'a short run, for a first look')
  .option('--rounds <count>', 'how often everything is measured (3)')
  .option('--seconds <count>', 'how long each measurement takes (5)')
  .option('--connections <list>', 'how many at once, separated by commas (8,64,256)')
  .option('--out <file>', 'where to write the results', 'bench/results/ingest.json')
  .action(benchIngestCommand)
bench
  .command('inbound')
  .description('webhook to readable message, and how its cost grows with what is stored')
  .option('--quick', 'a short run, for a first look')
  .option('--rounds <count>', 'how often everything is measured (3)')
  .option('--sizes <list>', 'how many messages are stored (10000,100000,1000000)')
  .option('--events <count>', 'how many webhooks are measured at a time (2000)')
  .option('--out <file>', 'where to write the results', 'bench/results/inbound.json')
  .action(benchInboundCommand)
bench
  .command('outbox')
  .description('the send queue beside graphile-worker and pg-boss, its claims, and sends over HTTP')
  .option('--quick', 'a short run, for a first look')
  .option('--rounds <count>', 'how often everything is measured (3)')
  .option('--jobs <count>', 'how many are processed at a time (30000)')
  .option('--pending <list>', 'out of how many claims are timed (10000,100000,1000000)')
  .option('--out <file>', 'where to write the results', 'bench/results/outbox.json')
  .action(benchOutboxCommand)
bench
  .command('weather')
  .description('healthy numbers beside slow, throttled and sick ones, and what follows an outage')
  .option('--quick', 'a short run, for a first look')
  .option('--rounds <count>', 'how often everything is measured (3)')
  .option('--seconds <count>', 'how long each load lasts (20)')
  .option('--out <file>', 'where to write the results', 'bench/results/weather.json')
  .action(benchWeatherCommand)
bench
  .command('health')
  .description('how long health takes to answer, with much and with little in the database')
  .option('--quick', 'a short run, for a first look')
  .option('--rounds <count>', 'how often everything is measured (3)')
  .option('--rows <count>', 'events, and as many messages to send (1000000)')
  .option('--samples <count>', 'questions a round (300)')
  .option('--out <file>', 'where to write the results', 'bench/results/health.json')
  .action(benchHealthCommand)

// A bug. The process starts afresh under its supervisor; what was acknowledged is in the database.
process.on('uncaughtException', (error) => {
  process.stderr.write(`estafet: ${scrub(explain(error))}\n`)
  process.exit(1)
})

program.parseAsync().then(
  () => process.exit(),
  (error) => {
    process.stderr.write(`${explain(error)}\n`)
    process.exit(1)
  },
)

function withFilter(command: Command): Command {
  return command
    .option('--tenant <tenant>', 'id or slug')
    .option('--kind <kind>', 'outbound, inbound, malformed, unroutable or unknown')
    .option('--error-code <code>', 'as the list shows it')
    .option('--phone-number-id <id>', 'Meta’s id of the number')
    .option('--message-id <id>', 'msg_…, of what was to be sent')
    .option('--created-before <time>', 'RFC 3339')
    .option('--created-after <time>', 'RFC 3339')
}

function withDecision(command: Command): Command {
  return withFilter(command.argument('[ids...]', 'dlq_…'))
    .option('--all', 'instead of ids: every open one that the other options leave')
    .option('--reason <reason>', 'why; kept in the audit')
    .option('--dry-run', 'only count')
    .option('--json', 'for programs')
}

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
