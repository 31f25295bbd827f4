// Every command with its arguments, options and help. Nothing of what they do is loaded here.
import { styleText } from 'node:util'
import { type Argument, Help } from 'commander'
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

const ending = `
Add --help to any command for its options and examples; --json where a program reads the answer.
Answers are on standard output, everything else on standard error. Exit codes: 0 done;
1 refused, failed or found trouble; 2 not understood, so nothing was done; 130 stopped by Ctrl-C.`

function nameOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** What `estafet --help` and docs/cli.md are made from, and cli.ts runs. */
export function createProgram(): CliCommand {
  const program = new CliCommand('estafet')
    .description('A multi-tenant gateway for Meta’s WhatsApp Cloud API.')
    .version(readVersion())
    .exitOverride()
    // cli.ts says what is wrong, as text or as JSON.
    .configureOutput({ outputError: () => undefined })
    .configureHelp({
      // Commander takes the colours away where the terminal has none, or NO_COLOR says so.
      styleTitle: (text) => styleText('bold', text, { validateStream: false }),
      styleSubcommandTerm: (text) => styleText('cyan', text, { validateStream: false }),
      styleOptionTerm: (text) => styleText('cyan', text, { validateStream: false }),
      // `estafet help <command>` works, but it is said below that --help does.
      visibleCommands(command) {
        const visible = Help.prototype.visibleCommands.call(this, command)
        return visible.filter((one) => one.name() !== 'help')
      },
      // The options are on the page of the command itself.
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map(nameOf)].join(' '),
    })
    .addHelpText('after', ending)

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
