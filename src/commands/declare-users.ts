// `estafet user …`: its arguments and options.
import { Option } from 'commander'
import type { CliCommand } from './cli-command.ts'

const load = () => import('./people.ts')

export function declareUsers(program: CliCommand): void {
  const user = program.command('user').description('people who sign in to the console')
  user
    .command('create')
    .description('let somebody in; the link with which they choose a password is shown once')
    .argument('<email>')
    .addOption(
      new Option('--role <role>', 'what they may')
        .choices(['operator', 'admin', 'agent'])
        .makeOptionMandatory(),
    )
    .option('--tenant <tenant>', 'id or slug, of an admin or agent')
    .option('--name <name>', 'as colleagues see it')
    .json()
    .example(
      'user create ana@example.com --role operator',
      'user create ben@example.com --role agent --tenant flowers --name Ben',
    )
    .runs(load, (it) => it.userCreate)
  user
    .command('list')
    .description('who may sign in, the latest first')
    .option('--tenant <tenant>', 'of this tenant only')
    .pages()
    .json()
    .example('user list --tenant flowers')
    .runs(load, (it) => it.userList)
  user
    .command('link')
    .description('a link with which somebody chooses a new password')
    .argument('<email>')
    .json()
    .example('user link ana@example.com')
    .runs(load, (it) => it.userLink)
  user
    .command('disable')
    .description('shut somebody out, and sign them out everywhere')
    .argument('<email>')
    .json()
    .example('user disable ana@example.com')
    .runs(load, (it) => it.userDisable)
  user
    .command('enable')
    .description('let somebody in again')
    .argument('<email>')
    .json()
    .example('user enable ana@example.com')
    .runs(load, (it) => it.userEnable)
}
