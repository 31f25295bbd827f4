// Text for a terminal.
import { styleText } from 'node:util'

/** Columns as wide as their widest cell; the last one runs free. */
export function table(heads: string[], rows: string[][]): string {
  const cells = rows.map((row) => row.map(oneLine))
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  return [heads, ...cells]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A page of a list, and how to see the next. */
export function pageText(text: string, { paging }: { paging: { next: string | null } }): string {
  return paging.next === null ? text : `${text}\n\nThere are more: --after ${paging.next}`
}

/** What somebody wrote must not look like a line of ours. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** What a stranger wrote must not drive the terminal: control characters and changes of direction show as escapes. */
export function printable(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const states = {
  green: ['ok', 'active', 'current', 'APPROVED', 'done', 'met'],
  yellow: ['degraded', 'warning', 'suspended', 'paused', 'PENDING', 'PAUSED', 'old'],
  red: ['down', 'failed', 'missing', 'disabled', 'needs_reauth', 'REJECTED', 'MISSED'],
} as const

const colourOf = new Map(
  Object.entries(states).flatMap(([colour, words]) =>
    words.map((word) => [word as string, colour as keyof typeof states]),
  ),
)

/** A word that is a whole cell of a table or of a list of facts. */
const cellWord = /(?<=^| {2})[A-Za-z_]+(?= {2}|:|$)/g
const tableHead = /^[A-Z]+(?: {2,}[A-Z]+)+ *$/

/** Colours for what our texts are made of, where the terminal wants them (NO_COLOR, FORCE_COLOR): heads of tables, states,
 *  and what to do next. It comes last, so no width is counted and nothing escaped that holds a colour. */
export function paint(text: string): string {
  const lines = text.split('\n').map((line) => {
    if (tableHead.test(line)) return styleText('bold', line)
    if (line.startsWith('Next: ')) return styleText('cyan', line)
    return line.replace(cellWord, (word) => {
      const colour = colourOf.get(word)
      return colour === undefined ? word : styleText(colour, word)
    })
  })
  return lines.join('\n')
}
