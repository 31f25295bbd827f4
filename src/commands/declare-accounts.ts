// `estafet account …`: its arguments and options.
import type { CliCommand } from './cli-command.ts'

const loadTenants = () => import('./tenants.ts')

export function declareAccounts(program: CliCommand): void {
  const account = program.command('account').description('WhatsApp accounts: connected numbers')
  account
    .command('list')
    .description('list a tenant’s numbers, and how they fare')
    .argument('<tenant>', 'id or slug')
    .pages()
    .json()
    .example('account list flowers')
    .runs(loadTenants, (it) => it.accountList)
  account
    .command('link')
    .description('make a link to the page on which a person connects a number')
    .argument('<tenant>', 'id or slug')
    .option('--reconnect <account>', 'acc_…: to give this one a new token')
    .json()
    .example('account link flowers')
    .runs(
      () => import('./connect.ts'),
      (it) => it.accountLink,
    )
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
    .json()
    .example(
      'account connect flowers --waba-id 102290129340398 --phone-number-id 106540352242922 \\\n    --display-phone-number "+1 555-0100" --access-token - < token.txt',
    )
    .runs(
      () => import('./manage.ts'),
      (it) => it.accountConnect,
    )
  account
    .command('disconnect')
    .description('disconnect a number; its conversations stay')
    .argument('<tenant>', 'id or slug')
    .argument('<account>', 'acc_…, or Meta’s id of the number')
    .json()
    .example('account disconnect flowers 106540352242922')
    .runs(loadTenants, (it) => it.accountDisconnect)
  account
    .command('responder')
    .description('choose what answers a number’s messages by itself')
    .argument('<tenant>', 'id or slug')
    .argument('<account>', 'acc_…, or Meta’s id of the number')
    .argument('<responder>', 'off, echo or auto_reply')
    .option('--text <text>', 'what auto_reply says')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example(
      'account responder flowers 106540352242922 auto_reply --text "We open at nine." --reason "closed"',
      'account responder flowers 106540352242922 off --reason "open again"',
    )
    .runs(
      () => import('./consent.ts'),
      (it) => it.accountResponder,
    )
}
