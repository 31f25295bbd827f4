// `estafet event-endpoint …`, apart from cli.ts only for length.
import type { Command } from 'commander'
import {
  endpointChange,
  endpointCreate,
  endpointDelete,
  endpointDeliveries,
  endpointList,
  endpointReplay,
  endpointRotate,
  endpointTest,
} from './event-endpoints.ts'

export function declareEventEndpoints(program: Command): void {
  const endpoint = program
    .command('event-endpoint')
    .description('where a tenant’s application hears of events (docs/event-webhooks.md)')
  endpoint
    .command('create')
    .description('have events posted there; the secret is shown once')
    .argument('<tenant>', 'id or slug')
    .requiredOption('--url <url>', 'https')
    .option('--events <list>', 'event types, separated by commas; all, unless said')
    .option('--description <text>', 'what it is for')
    .option('--responder-for <list>', 'accounts (acc_…) whose messages it answers')
    .option('--json', 'for programs')
    .action(endpointCreate)
  endpoint
    .command('list')
    .description('list a tenant’s endpoints, and how they fare')
    .argument('<tenant>', 'id or slug')
    .option('--json', 'for programs')
    .action(endpointList)
  withEndpoint(endpoint.command('pause'))
    .description('deliver nothing for a while; what happens meanwhile waits')
    .action((tenantName, id, options) => endpointChange('paused', tenantName, id, options))
  withEndpoint(endpoint.command('resume'))
    .description('deliver again, also to one that was disabled')
    .action((tenantName, id, options) => endpointChange('active', tenantName, id, options))
  withEndpoint(endpoint.command('rotate-secret'))
    .description('a new secret, shown once; the old one signs too for a while')
    .option('--overlap-hours <hours>', 'how long the old one does, at most 168', '24')
    .action(endpointRotate)
  withEndpoint(endpoint.command('test')).description('deliver a test event').action(endpointTest)
  withEndpoint(endpoint.command('deliveries'))
    .description('what was and is to be delivered, the latest first')
    .option('--status <status>', 'pending, running, done or failed')
    .option('--limit <count>', 'how many at most', '50')
    .option('--after <cursor>', 'where the page before ended')
    .action(endpointDeliveries)
  withEndpoint(endpoint.command('replay'))
    .description('deliver events again, in their old order')
    .option('--from <time>', 'events of this time or later, RFC 3339')
    .option('--to <time>', 'events before this time')
    .option('--event-ids <list>', 'instead of times: evt_…, separated by commas')
    .option('--only-failed', 'only those that were given up')
    .action(endpointReplay)
  withEndpoint(endpoint.command('delete'))
    .description('delete it, with what waits for it')
    .action(endpointDelete)
}

function withEndpoint(command: Command): Command {
  return command
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'ep_…')
    .option('--json', 'for programs')
}
