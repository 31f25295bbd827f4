// `estafet config`: every setting there is.
import { configurationList, configurationMarkdown } from '../config.ts'
import type { TableOptions } from './manage.ts'

export function configCommand({ json }: TableOptions): void {
  const text = json ? `${JSON.stringify(configurationList(), null, 2)}\n` : configurationMarkdown()
  process.stdout.write(text)
}
