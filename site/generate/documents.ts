// Every document that is printed from the code: its place, and the text that it should have.
import { createProgram } from '../../src/cli-program.ts'
import { configurationMarkdown } from '../../src/config.ts'
import { cliMarkdown } from './cli.ts'
import { errorsMarkdown } from './errors.ts'
import { logsMarkdown } from './logs.ts'
import { metricsMarkdown } from './metrics.ts'

export interface PrintedDocument {
  path: string
  text: string
}

export function printedDocuments(): PrintedDocument[] {
  return [
    { path: 'docs/configuration.md', text: configurationMarkdown() },
    { path: 'docs/errors.md', text: errorsMarkdown() },
    { path: 'docs/logs.md', text: logsMarkdown() },
    { path: 'docs/metrics.md', text: metricsMarkdown() },
    { path: 'docs/cli.md', text: cliMarkdown(createProgram()) },
  ]
}
