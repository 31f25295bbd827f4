// `estafet template …`: its arguments and options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./templates.ts')

export function declareTemplates(program: CliCommand): void {
  const template = program.command('template').description('message templates, as Meta has them')
  template
    .command('list')
    .description('list a tenant’s templates, and how far the local copy is')
    .argument('<tenant>', 'id or slug')
    .option('--phone-number-id <id>', 'of the account with this number')
    .option('--name <name>', 'of this name, in every language')
    .option('--status <status>', 'APPROVED, PENDING, REJECTED, PAUSED …')
    .option('--category <category>', 'MARKETING, UTILITY or AUTHENTICATION')
    .option('--gone', 'those that Meta no longer has, instead')
    .pages()
    .json()
    .example('template list flowers --status approved')
    .runs(load, (it) => it.templateList)
  template
    .command('sync')
    .description('ask Meta for all of a tenant’s templates now')
    .argument('<tenant>', 'id or slug')
    .option('--phone-number-id <id>', 'only of the account with this number')
    .json()
    .example('template sync flowers')
    .runs(load, (it) => it.templateSync)
  template
    .command('show')
    .description('show one with everything that is known of it')
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'tpl_…')
    .json()
    .example('template show flowers tpl_…')
    .runs(load, (it) => it.templateShow)
  template
    .command('preview')
    .description('fill in parameters and show what the contact would see')
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'tpl_…')
    .option('--components <json>', 'as in a message: template.components')
    .option('--examples', 'what is not given shows its example')
    .json()
    .example('template preview flowers tpl_… --examples')
    .runs(load, (it) => it.templatePreviewCommand)
  template
    .command('delete')
    .description('delete one at Meta; its name is blocked for 30 days')
    .argument('<tenant>', 'id or slug')
    .argument('<id>', 'tpl_…')
    .option('--all-languages', 'every template of this name')
    .json()
    .example('template delete flowers tpl_…')
    .runs(load, (it) => it.templateDelete)
}
