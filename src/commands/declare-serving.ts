// `estafet start`, `dev`, `migrate`, `simulator` and `config`: their arguments and options.
import { InvalidArgumentError, Option } from 'commander'
import type { CliCommand } from './cli-command.ts'

export function declareServing(program: CliCommand): void {
  program
    .command('start')
    .description('serve, as the environment says (docs/configuration.md)')
    .example('start', 'start    # with ROLES=worker in the environment: only work, no HTTP API')
    .runs(
      () => import('./start.ts'),
      (it) => it.start,
    )
  program
    .command('dev')
    .description('everything on this machine, with a simulated Meta and sample data')
    .example('dev')
    .runs(
      () => import('./dev.ts'),
      (it) => it.dev,
    )
  program
    .command('migrate')
    .description('bring the database up to date and exit')
    .json()
    .example('migrate')
    .runs(
      () => import('./migrate.ts'),
      (it) => it.migrateCommand,
    )
  declareSimulator(program)
  program
    .command('config')
    .description('print docs/configuration.md: every setting, with its default')
    .option('--markdown', 'as it is in the documentation; so it is anyway, without --json')
    .json()
    .example('config --markdown', 'config --json')
    .runs(
      () => import('./config.ts'),
      (it) => it.configCommand,
    )
}

function declareSimulator(program: CliCommand): void {
  program
    .command('simulator')
    .description('a simulated Meta on its own')
    .option('--host <host>', 'where to listen')
    .option('--port <port>', 'which port; 0 picks a free one', portNumber)
    .option('--app-id <id>', 'of the app whose webhooks are delivered')
    .option('--app-secret <secret>', 'signs the webhooks')
    .option('--webhook-url <url>', 'where to deliver webhooks', webUrl)
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
    .option('--cloud-tasks-port <port>', 'emulate Google Cloud Tasks here too', portNumber)
    .example(
      'simulator --port 8090',
      'simulator --webhook-url http://127.0.0.1:8080/api/webhooks/meta/whatsapp --app-secret my-app-secret',
    )
    .runs(
      () => import('./simulator.ts'),
      (it) => it.simulatorCommand,
    )
}

function webUrl(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It begins with http:// or https://.')
  return text
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return Number(text)
}
