#!/usr/bin/env node
// argv → command → exit code. The only file that ends the process.
import { CommanderError } from 'commander'
import { createProgram } from './cli-program.ts'

/** 0 is for what went well. */
const exitCodes = {
  /** Refused, failed, or found trouble. */
  trouble: 1,
  /** The command was not understood, so nothing was done. */
  usage: 2,
}

// A bug. The process starts afresh under its supervisor; what was acknowledged is in the database.
process.on('uncaughtException', async (error) => {
  const { scrub } = await import('./log.ts')
  end({ code: 'INTERNAL_ERROR', message: scrub(explain(error)), exitCode: exitCodes.trouble })
})

// Whoever read has read enough: `estafet dlq list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

createProgram()
  .parseAsync()
  .then(
    () => process.exit(),
    (error: unknown) => end(failureOf(error)),
  )

interface Failure {
  code: string
  message: string
  exitCode: number
}

function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // Help, or the version, has been printed already. Without a command it is help too, but nothing was asked for.
    if (error.code.startsWith('commander.help') || error.exitCode === 0) {
      process.exit(error.exitCode === 0 ? 0 : exitCodes.usage)
    }
    const message = `${error.message.replace(/^error: /, '')}\nAdd --help to see what there is.`
    return { code: 'WRONG_USAGE', message, exitCode: exitCodes.usage }
  }
  const { code, status } = error as { code?: unknown; status?: unknown }
  const isOurs = typeof status === 'number' && typeof code === 'string'
  return {
    code: isOurs ? code : 'COMMAND_FAILED',
    message: explain(error),
    exitCode: status === 400 ? exitCodes.usage : exitCodes.trouble,
  }
}

function end({ code, message, exitCode }: Failure): never {
  const isJson = process.argv.includes('--json')
  const text = isJson ? JSON.stringify({ error: { code, message } }) : message
  process.stderr.write(`${text}\n`)
  process.exit(exitCode)
}

/** Errors of ours (told by their names, so that their files need not be loaded) are sentences already. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'estafet: unknown error'
  if (error.name === 'ConfigError' || error.name === 'AppError') return error.message
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `estafet: ${error.message}${cause}`
}
