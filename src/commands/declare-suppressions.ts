// `estafet suppression …`: its arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./consent.ts')

export function declareSuppressions(program: CliCommand): void {
  const suppression = program
    .command('suppression')
    .description('contacts who opted out, or are blocked')
  suppression
    .command('list')
    .description('list them, the latest change first')
    .argument('<tenant>', 'id or slug')
    .option('--state <state>', 'active, lifted or all', 'active')
    .option('--scope <scope>', 'marketing or everything')
    .option(
      '--because <reason>',
      'user_preferences, marketing_refused, stop_word, blocked, operator',
    )
    .option('--phone-number-id <id>', 'Meta’s id of the number')
    .option('--q <text>', 'part of the contact’s name or ids')
    .pages()
    .json()
    .example('suppression list flowers', 'suppression list flowers --because stop_word --json')
    .runs(load, (it) => it.suppressionList)
  suppression
    .command('add')
    .description('send a contact nothing more; what waits for them ends')
    .argument('<tenant>', 'id or slug')
    .option('--to <number>', 'with the country code')
    .option('--recipient <id>', 'or else a business-scoped user id')
    .option('--phone-number-id <id>', 'from which number; the only one, unless said')
    .option('--scope <scope>', 'marketing or everything', 'everything')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example('suppression add flowers --to "+1 555-0123" --reason "asked by phone"')
    .runs(load, (it) => it.suppressionAdd)
  suppression
    .command('lift')
    .description('let a contact be written to again')
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'sup_…')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example('suppression lift flowers sup_… --reason "asked to hear from us again"')
    .runs(load, (it) => it.suppressionLiftCommand)
}
