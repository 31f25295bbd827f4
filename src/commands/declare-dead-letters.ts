// `estafet dlq …`: its arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./dlq.ts')

export function declareDeadLetters(program: CliCommand): void {
  const dlq = program.command('dlq').description('dead letters: what could not be applied or sent')
  withFilter(dlq.command('list'))
    .description('list them, the latest first')
    .option(
      '--state <state>',
      'open, requeued, discarded, resolved, or decided: all but open',
      'open',
    )
    .pages()
    .json()
    .example('dlq list', 'dlq list --tenant flowers --kind outbound --json')
    .runs(load, (it) => it.dlqList)
  dlq
    .command('inspect')
    .description('show one with its payload, every error and every attempt; looking is audited')
    .argument('<id>', 'dlq_…')
    .json()
    .example('dlq inspect dlq_…')
    .runs(load, (it) => it.dlqInspect)
  withDecision(dlq.command('requeue'))
    .description('process or send them again, after the cause is mended')
    .option('--per-second <count>', 'how many messages are sent again a second (20)')
    .option('--start-at <time>', 'when the first of them is, RFC 3339; now, unless said')
    .example(
      'dlq requeue dlq_… --reason "the template is approved now"',
      'dlq requeue --all --tenant flowers --error-code WINDOW_CLOSED --dry-run',
    )
    .runs(load, (it) => it.dlqRequeue)
  withDecision(dlq.command('discard'))
    .description('say that they are not needed')
    .example('dlq discard dlq_… --reason "sent by hand"')
    .runs(load, (it) => it.dlqDiscard)
  withDecision(dlq.command('mark-sent'))
    .description('say that Meta has them, where nobody could tell; requeue sends them again')
    .example('dlq mark-sent dlq_… --reason "the customer answered it"')
    .runs(load, (it) => it.dlqMarkSent)
}

function withFilter(command: CliCommand): CliCommand {
  return command
    .option('--tenant <tenant>', 'id or slug')
    .option('--kind <kind>', 'outbound, inbound, malformed, unroutable or unknown')
    .option('--error-code <code>', 'as the list shows it')
    .option('--phone-number-id <id>', 'Meta’s id of the number')
    .option('--message-id <id>', 'msg_…, of what was to be sent')
    .option('--created-before <time>', 'RFC 3339')
    .option('--created-after <time>', 'RFC 3339')
}

function withDecision(command: CliCommand): CliCommand {
  return withFilter(command.argument('[ids...]', 'dlq_…'))
    .option('--all', 'instead of ids: every open one that the other options leave')
    .option('--reason <reason>', 'why; kept in the audit')
    .option('--dry-run', 'only count')
    .json()
}
