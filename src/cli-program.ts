// Every command with its arguments, options and help. Nothing of what they do is loaded here.
import { CliCommand } from './commands/cli-command.ts'
import { declareAccounts } from './commands/declare-accounts.ts'
import { declareAlertChannels } from './commands/declare-alert-channels.ts'
import { declareBench } from './commands/declare-bench.ts'
import { declareDeadLetters } from './commands/declare-dead-letters.ts'
import { declareEventEndpoints } from './commands/declare-event-endpoints.ts'
import { declareOps } from './commands/declare-ops.ts'
import { declareServing } from './commands/declare-serving.ts'
import { declareSuppressions } from './commands/declare-suppressions.ts'
import { declareTemplates } from './commands/declare-templates.ts'
import { declareTenants } from './commands/declare-tenants.ts'
import { declareUsers } from './commands/declare-users.ts'
import { readVersion } from './package-root.ts'

export function createProgram(): CliCommand {
  const program = new CliCommand('estafet')
    .description('A multi-tenant gateway for Meta’s WhatsApp Cloud API.')
    .version(readVersion())
    .exitOverride()
    .configureOutput({ outputError: () => undefined })

  program.commandsGroup('Serving:')
  declareServing(program)
  program.commandsGroup('Tenants, people and numbers:')
  declareTenants(program)
  declareUsers(program)
  declareAccounts(program)
  declareTemplates(program)
  declareSuppressions(program)
  declareEventEndpoints(program)
  declareAlertChannels(program)
  program.commandsGroup('Watching and mending:')
  declareOps(program)
  declareDeadLetters(program)
  program.commandsGroup('Measuring:')
  declareBench(program)
  return program
}
