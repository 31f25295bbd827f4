// Every document that is printed from the code: its place, and the text that it should have.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { configurationMarkdown } from '../../src/config.ts'
import { cliMarkdown } from './cli.ts'
import { errorsMarkdown } from './errors.ts'
import { logsMarkdown } from './logs.ts'
import { metricsMarkdown } from './metrics.ts'

export interface PrintedDocument {
  path: string
  text: string
}

export async function printedDocuments(): Promise<PrintedDocument[]> {
  const program = await loadProgram()
  return [
    { path: 'docs/configuration.md', text: configurationMarkdown() },
    { path: 'docs/errors.md', text: errorsMarkdown() },
    { path: 'docs/logs.md', text: logsMarkdown() },
    { path: 'docs/metrics.md', text: metricsMarkdown() },
    ...(program ? [{ path: 'docs/cli.md', text: cliMarkdown(program) }] : []),
  ]
}

/** Undefined until the command line is declared in a file of its own. */
export async function loadProgram(): Promise<Command | undefined> {
  const file = new URL('../../src/cli-program.ts', import.meta.url)
  if (!existsSync(file)) return undefined
  const { createProgram } = await import(file.href)
  return createProgram()
}
