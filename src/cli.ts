#!/usr/bin/env node
// argv → command → exit code. The only file that ends the process.
import { CommanderError } from 'commander'
import { createProgram } from './cli-program.ts'

/** As `estafet --help` explains them. */
const trouble = 1
const wrongUsage = 2

// A bug. The process starts afresh under its supervisor; what was acknowledged is in the database.
process.on('uncaughtException', async (error) => {
  const { scrub } = await import('./log.ts')
  end({ code: 'INTERNAL', message: scrub(explain(error)), exitCode: trouble })
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

/** Errors of ours are told by their names, so that their files need not be loaded. */
function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return usageOf(error)
  const { name, code, status, signal } = error as Record<string, unknown>
  if (name === 'Interrupted') process.exit(128 + (signal === 'SIGINT' ? 2 : 15))
  const message = explain(error)
  if (name === 'AppError')
    return { code: String(code), message, exitCode: status === 400 ? wrongUsage : trouble }
  if (name === 'ConfigError') return { code: 'CONFIGURATION', message, exitCode: trouble }
  if (name === 'DatabaseUnavailable') return { code: 'UNAVAILABLE', message, exitCode: trouble }
  return { code: 'INTERNAL', message, exitCode: trouble }
}

function usageOf(error: CommanderError): Failure {
  // The version, or help that was asked for, is printed already; so is the help for who named no command.
  if (error.exitCode === 0) process.exit(0)
  if (error.code === 'commander.help') process.exit(wrongUsage)
  const message = `${error.message.replace(/^error: /, '')}\nAdd --help to see what there is.`
  return { code: 'WRONG_USAGE', message, exitCode: wrongUsage }
}

function end({ code, message, exitCode }: Failure): never {
  const isJson = process.argv.includes('--json')
  const text = isJson ? JSON.stringify({ error: { code, message } }) : message
  process.stderr.write(`${text}\n`)
  process.exit(exitCode)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return 'estafet: unknown error'
  if (error.name === 'ConfigError' || error.name === 'AppError') return error.message
  if (error.name === 'DatabaseUnavailable') {
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    return `The database cannot be reached${why}. Is Postgres up, and is DATABASE_URL right?`
  }
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : ''
  return `estafet: ${error.message}${cause}`
}
