#!/usr/bin/env node
// argv → command → exit code. The only file that ends the process.
import { CommanderError } from 'commander'
import { createProgram } from './cli-program.ts'

/** As `estafet --help` explains them. */
const trouble = 1
const wrongUsage = 2

// A bug. The process starts afresh under its supervisor; what was acknowledged is in the database.
process.on('uncaughtException', async (error) => {
  // Also when the command comes to its end before what follows.
  process.exitCode = trouble
  const { scrub } = await import('./log.ts')
  say({ code: 'INTERNAL', message: scrub(explain(error)) })
  // At once: what a bug has broken must not go on because nobody reads.
  process.exit(trouble)
})

for (const stream of [process.stdout, process.stderr]) stream.on('error', notWritten)

function notWritten(error: NodeJS.ErrnoException): void {
  // Whoever read has read enough (`estafet dlq list | head`). What was begun is done to its end all the same.
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return
  say({ code: 'INTERNAL', message: explain(error) })
  process.exit(trouble)
}

createProgram()
  .parseAsync()
  .then(() => leave(), end)

interface Failure {
  code: string
  message: string
  exitCode: number
}

function end(error: unknown): Promise<void> {
  const { name, signal } = error as Record<string, unknown>
  if (name === 'Interrupted') process.exit(128 + (signal === 'SIGINT' ? 2 : 15))
  if (error instanceof CommanderError && isSaid(error)) {
    return leave(error.exitCode === 0 ? undefined : wrongUsage)
  }
  const failure = failureOf(error)
  say(failure)
  return leave(failure.exitCode)
}

/** A pipe takes 64 KiB at once, and whoever reads may be slow: what is still on its way is waited for. */
async function leave(exitCode?: number): Promise<void> {
  await Promise.all([process.stdout, process.stderr].map(flushed))
  process.exit(exitCode ?? process.exitCode)
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', (error) => {
      if (error) notWritten(error)
      resolve()
    })
  })
}

/** Errors of ours are told by their names, so that their files need not be loaded. */
function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return usageOf(error)
  const { name, code, status } = error as Record<string, unknown>
  const message = explain(error)
  if (name === 'AppError')
    return { code: String(code), message, exitCode: status === 400 ? wrongUsage : trouble }
  if (name === 'ConfigError') return { code: 'CONFIGURATION', message, exitCode: trouble }
  if (name === 'DatabaseUnavailable') return { code: 'UNAVAILABLE', message, exitCode: trouble }
  return { code: 'INTERNAL', message, exitCode: trouble }
}

/** The version, or help that was asked for, is printed already; so is the help for who named no command. */
function isSaid({ exitCode, code }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help'
}

function usageOf(error: CommanderError): Failure {
  const message = `${error.message.replace(/^error: /, '')}\nAdd --help to see what there is.`
  return { code: 'WRONG_USAGE', message, exitCode: wrongUsage }
}

function say({ code, message }: Omit<Failure, 'exitCode'>): void {
  const isJson = process.argv.includes('--json')
  const text = isJson ? JSON.stringify({ error: { code, message } }) : message
  process.stderr.write(`${text}\n`)
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
