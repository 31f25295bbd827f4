// `estafet user …`: its arguments and options.
import { type Command, Option } from 'commander'
import { userCreate, userLink, userList, userStatus } from './people.ts'

export function declareUsers(program: Command): void {
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
    .option('--json', 'for programs')
    .action(userCreate)
  user
    .command('list')
    .description('who may sign in')
    .option('--tenant <tenant>', 'of this tenant only')
    .option('--json', 'for programs')
    .action(userList)
  user
    .command('link')
    .description('a link with which somebody chooses a new password')
    .argument('<email>')
    .option('--json', 'for programs')
    .action(userLink)
  user
    .command('disable')
    .description('shut somebody out, and sign them out everywhere')
    .argument('<email>')
    .option('--json', 'for programs')
    .action((email, options) => userStatus(email, 'disabled', options))
  user
    .command('enable')
    .description('let somebody in again')
    .argument('<email>')
    .option('--json', 'for programs')
    .action((email, options) => userStatus(email, 'active', options))
}
