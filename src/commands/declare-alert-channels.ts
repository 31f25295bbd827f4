// `estafet alert-channel …`: its arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./alert-channels.ts')

export function declareAlertChannels(program: CliCommand): void {
  const channel = program
    .command('alert-channel')
    .description('who is told when something is wrong (docs/runbook.md)')
  withOwner(channel.command('create'))
    .description('tell somebody more; a webhook’s secret is shown once')
    .requiredOption('--kind <kind>', 'slack, pagerduty or webhook')
    .requiredOption('--target <target>', 'https URL, or PagerDuty’s routing key')
    .option('--description <text>', 'what it is for')
    .example(
      'alert-channel create --kind slack --target https://hooks.slack.com/services/…',
      'alert-channel create --tenant flowers --kind webhook --target https://flowers.example/alerts',
    )
    .runs(load, (it) => it.channelCreate)
  withOwner(channel.command('list'))
    .description('list channels, and how they fare')
    .pages()
    .example('alert-channel list', 'alert-channel list --tenant flowers --json')
    .runs(load, (it) => it.channelList)
  withOwner(channel.command('remove').argument('<id>', 'ach_…'))
    .description('remove it, with what waits for it')
    .example('alert-channel remove ach_…')
    .runs(load, (it) => it.channelRemove)
  withOwner(channel.command('test').argument('<id>', 'ach_…'))
    .description('call it now, and say what it answered')
    .example('alert-channel test ach_…')
    .runs(load, (it) => it.channelTest)
}

function withOwner(command: CliCommand): CliCommand {
  return command
    .option('--tenant <tenant>', 'id or slug; without it, the operator’s own channels')
    .json()
}
