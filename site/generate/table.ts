// Tables in Markdown.

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(columns), `|${columns.map(() => '---').join('|')}|`, ...rows.map(line)]
}

/** A bar would end the cell, and a line its row. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

export const code = (text: string) => `\`${text}\``

export const page = (...lines: string[]) => `${lines.join('\n').trimEnd()}\n`

/** Said at the top of every document that is printed from the code. */
export const printedNote = 'This page is printed from the code: `npm run docs:generate`.'
