// `estafet tenant …` and `estafet key …`: their arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./manage.ts')
const loadChanges = () => import('./tenants.ts')

export function declareTenants(program: CliCommand): void {
  declareTenant(program)
  declareKeys(program)
}

function declareTenant(program: CliCommand): void {
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
    .description('list the tenants, the latest first')
    .pages()
    .json()
    .example('tenant list')
    .runs(loadChanges, (it) => it.tenantList)
  tenant
    .command('show')
    .description('show one, with its limits')
    .argument('<tenant>', 'id or slug')
    .json()
    .example('tenant show flowers')
    .runs(loadChanges, (it) => it.tenantShow)
  tenant
    .command('change')
    .description('change its name or its limits; "default" goes back to what is configured')
    .argument('<tenant>', 'id or slug')
    .option('--name <name>', 'as people know it')
    .option('--max-concurrency <count>', 'sends in flight at once')
    .option('--max-queued <count>', 'messages that may wait')
    .option('--retry-policy <policy>', 'standard or patient')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example('tenant change flowers --max-concurrency 8 --reason "large newsletter"')
    .runs(loadChanges, (it) => it.tenantChange)
  tenant
    .command('suspend')
    .description('let its work wait, and refuse new messages; what it receives is still stored')
    .argument('<tenant>', 'id or slug')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example('tenant suspend flowers --reason "has not paid"')
    .runs(loadChanges, (it) => it.tenantSuspend)
  tenant
    .command('resume')
    .description('let a suspended one go on')
    .argument('<tenant>', 'id or slug')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example('tenant resume flowers --reason "has paid"')
    .runs(loadChanges, (it) => it.tenantResume)
}

function declareKeys(program: CliCommand): void {
  const key = program.command('key').description('API keys')
  key
    .command('create')
    .description('make an API key for a tenant; it is shown once')
    .argument('<tenant>', 'id or slug')
    .option('--name <name>', 'what the key is for', 'command line')
    .json()
    .example('key create flowers --name "web shop"')
    .runs(load, (it) => it.keyCreate)
  key
    .command('list')
    .description('list a tenant’s keys, the latest first; never the keys themselves')
    .argument('<tenant>', 'id or slug')
    .pages()
    .json()
    .example('key list flowers')
    .runs(loadChanges, (it) => it.keyList)
  key
    .command('revoke')
    .description('make a key useless, at once and for good')
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'key_…')
    .json()
    .example('key revoke flowers key_…')
    .runs(loadChanges, (it) => it.keyRevoke)
}
