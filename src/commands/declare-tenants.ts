// `estafet tenant …` and `estafet key …`: their arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./manage.ts')

export function declareTenants(program: CliCommand): void {
  const tenant = program.command('tenant').description('tenants')
  tenant
    .command('create')
    .description('create a tenant')
    .argument('<name>')
    .option('--slug <slug>', 'short name for addresses and commands')
    .json()
    .example('tenant create "Flower shop" --slug flowers')
    .runs(load, (it) => it.tenantCreate)
  tenant
    .command('list')
    .description('list the tenants')
    .json()
    .example('tenant list')
    .runs(load, (it) => it.tenantList)

  const key = program.command('key').description('API keys')
  key
    .command('create')
    .description('make an API key for a tenant; it is shown once')
    .argument('<tenant>', 'id or slug')
    .option('--name <name>', 'what the key is for', 'command line')
    .json()
    .example('key create flowers --name "web shop"')
    .runs(load, (it) => it.keyCreate)
}
