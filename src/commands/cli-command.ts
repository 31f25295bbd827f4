// A command of ours: its code is loaded when it is called, and its help ends with examples.
import { Command } from 'commander'

type Run = (...args: never[]) => unknown

export class CliCommand extends Command {
  /** As typed, without `estafet` before them. */
  readonly examples: string[] = []

  constructor(name?: string) {
    super(name)
    this.addHelpText('after', () =>
      this.examples.length === 0
        ? ''
        : ['', 'Examples:', ...this.examples.map((line) => `  estafet ${line}`)].join('\n'),
    )
  }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  example(...lines: string[]): this {
    this.examples.push(...lines)
    return this
  }

  json(): this {
    return this.option('--json', 'one JSON document, for programs')
  }

  pages(): this {
    return this.option('--limit <count>', 'how many at most', '50').option(
      '--after <cursor>',
      'where the page before ended',
    )
  }

  /** What it returns is false when it found trouble: then the process ends with 1. */
  runs<Module>(load: () => Promise<Module>, pick: (module: Module) => Run): this {
    return this.action(async (...args: unknown[]) => {
      const run = pick(await load())
      try {
        if ((await run(...(args as never[]))) === false) process.exitCode = 1
      } catch (error) {
        throw this.inItsWords(error)
      }
    })
  }

  /** The same code refuses for the API, by the name of a field: here it is told by the option. */
  private inItsWords(error: unknown): unknown {
    const { name, message } = error as { name?: string; message?: string }
    const [, field = ''] = (name === 'AppError' && /^(\w+): /.exec(message ?? '')) || []
    const long = field === 'tenant_id' ? '--tenant' : `--${field.replaceAll('_', '-')}`
    if (error instanceof Error && this.options.some((option) => option.long === long)) {
      error.message = error.message.replace(field, long)
    }
    return error
  }
}
