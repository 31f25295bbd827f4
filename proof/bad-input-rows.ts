// Everything bad that may come in, surface by surface: what it is answered, and the tests that hold it. docs/bad-input.md is
// made of this.
import { calls } from './bad-input/calls.ts'
import { deliveries } from './bad-input/deliveries.ts'
import { others } from './bad-input/others.ts'
import type { BadInput } from './bad-input/row.ts'

export const badInput: Record<string, BadInput[]> = { ...deliveries, ...calls, ...others }

/** As docs/bad-input.md has it. */
export function badInputPage(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|')
  const rowOf = ({ id, input, answer, because, tests }: BadInput) => {
    const files = Object.keys(tests).map((path) => `\`${path}\``)
    const reason = because === undefined ? '' : `<br>*${because}*`
    return `| \`${id}\` | ${cell(input)} | ${cell(answer)}${cell(reason)} | ${files.join('<br>')} |`
  }
  const sections = Object.entries(badInput).map(([surface, rows]) =>
    [
      `## ${surface}`,
      '',
      '| | what comes | what it gets | held by |',
      '|---|---|---|---|',
      ...rows.map(rowOf),
    ].join('\n'),
  )
  return `# What bad input gets

Every error has the one shape of the API and says nothing of its caller’s input, of our insides or of anybody else; what is
not yours is answered as what is not there. This page is made from the rows in \`proof/bad-input\`, where each row names its
tests; \`npx vitest run proof/bad-input-rows.test.ts --update\` writes it anew.

${sections.join('\n\n')}
`
}
