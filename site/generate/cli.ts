// docs/cli.md: every command with its arguments and options, from the program that runs them.
import type { Argument, Command, Option } from 'commander'
import { code, page, printedNote, table } from './table.ts'

/** What a command of ours may know beside what commander does. */
type Described = Command & { examples?: string[] }

export function cliMarkdown(program: Command): string {
  return page(
    '# Command line',
    '',
    'From the sources `npm run estafet -- <command>`, installed `npx estafet <command>`, in the image',
    '`docker run … estafet <command>`. Every command has `--help`. Settings come from the environment, as',
    '[configuration](configuration.md) says; commands talk to the database that `DATABASE_URL` names, or to the embedded one.',
    printedNote,
    '',
    '## Exit codes',
    '',
    ...table(
      ['code', 'means'],
      [
        ['0', 'Done; of a command that checks something: all is well.'],
        [
          '1',
          'Refused or failed: standard error says why. Of a command that checks: trouble found.',
        ],
        ['2', 'Called wrongly: an unknown command or option, or a value that is not one.'],
        ['130, 143', 'Interrupted, by Ctrl-C or by a request to end.'],
      ],
    ),
    '',
    '## Commands',
    '',
    ...groupsOf(program).flatMap(([name, commands]) => [
      ...(name === '' ? [] : [`### ${name}`, '']),
      ...table(
        ['command', 'does'],
        commands.map((command) => [
          `[${code(nameOf(command))}](#${anchorOf(command)})`,
          command.description(),
        ]),
      ),
      '',
    ]),
    ...leavesOf(program).flatMap(section),
  )
}

/** As `--help` has them. */
function groupsOf(program: Command): [string, Command[]][] {
  const names = [...new Set(program.commands.map((command) => command.helpGroup()))]
  return names.map((name) => [
    name.replace(/:$/, ''),
    program.commands.filter((command) => command.helpGroup() === name).flatMap(leavesOf),
  ])
}

/** Every command that does something, in the order in which they were declared. */
export function leavesOf(command: Command): Command[] {
  if (command.commands.length === 0) return [command]
  return command.commands.flatMap(leavesOf)
}

export function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name()
}

const anchorOf = (command: Command) => nameOf(command).replaceAll(' ', '-')

function section(command: Described): string[] {
  const { registeredArguments, examples = [] } = command
  const options = command.options.filter(({ hidden }) => !hidden)
  return [
    `## ${nameOf(command)}`,
    '',
    `${sentence(command.description())}`,
    '',
    '```text',
    [nameOf(command), ...registeredArguments.map(placeholder), options.length > 0 && '[options]']
      .filter(Boolean)
      .join(' '),
    '```',
    '',
    ...(registeredArguments.length > 0
      ? [...table(['argument', 'meaning'], registeredArguments.map(argumentRow)), '']
      : []),
    ...(options.length > 0 ? [...table(['option', 'meaning'], options.map(optionRow)), ''] : []),
    ...(examples.length > 0
      ? ['```text', ...examples.map((line) => `estafet ${line}`), '```', '']
      : []),
  ]
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

function placeholder(argument: Argument): string {
  const name = argument.name() + (argument.variadic ? '…' : '')
  return argument.required ? `<${name}>` : `[${name}]`
}

const argumentRow = (argument: Argument) => [
  code(placeholder(argument)),
  withMore(argument.description, { ...argument, mandatory: false }),
]

const optionRow = (option: Option) => [code(option.flags), withMore(option.description, option)]

interface Extras {
  mandatory: boolean
  argChoices?: string[] | undefined
  defaultValue?: unknown
}

function withMore(description: string, { mandatory, argChoices, defaultValue }: Extras): string {
  const more = [
    ...(mandatory ? ['required'] : []),
    ...(argChoices ? [`one of ${argChoices.map(code).join(', ')}`] : []),
    ...(defaultValue === undefined ? [] : [`default ${code(String(defaultValue))}`]),
  ]
  return more.length === 0 ? description : `${description} (${more.join('; ')})`
}
