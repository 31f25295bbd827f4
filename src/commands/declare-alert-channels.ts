// `estafet alert-channel …`, apart from cli.ts only for length.
import type { Command } from 'commander'
import { channelCreate, channelList, channelRemove, channelTest } from './alert-channels.ts'

export function declareAlertChannels(program: Command): void {
  const channel = program
    .command('alert-channel')
    .description('who is told when something is wrong (docs/runbook.md)')
  withOwner(channel.command('create'))
    .description('tell somebody more; a webhook’s secret is shown once')
    .requiredOption('--kind <kind>', 'slack, pagerduty or webhook')
    .requiredOption('--target <target>', 'https URL, or PagerDuty’s routing key')
    .option('--description <text>', 'what it is for')
    .action(channelCreate)
  withOwner(channel.command('list'))
    .description('list channels, and how they fare')
    .action(channelList)
  withOwner(channel.command('remove').argument('<id>', 'ach_…'))
    .description('remove it, with what waits for it')
    .action(channelRemove)
  withOwner(channel.command('test').argument('<id>', 'ach_…'))
    .description('call it now, and say what it answered')
    .action(async (id, options) => {
      if (!(await channelTest(id, options))) process.exitCode = 1
    })
}

function withOwner(command: Command): Command {
  return command
    .option('--tenant <tenant>', 'id or slug; without it, the operator’s own channels')
    .option('--json', 'for programs')
}
