// A template's text as WhatsApp shows it: *bold*, _italic_, ~struck~, ```code```; and what stands in for its variables.
import { Fragment, type ReactNode } from 'react'

const gap = '\\{\\{([^{}]*)\\}\\}'
const code = '```([^`]+)```'
/** Between other characters than letters and digits, and not around spaces: as WhatsApp reads it. */
const styled = (mark: string) =>
  `(?<![\\p{L}\\p{N}])[${mark}](?=\\S)([^${mark}\\n]+)(?<=\\S)[${mark}](?![\\p{L}\\p{N}])`
const parts = new RegExp([gap, code, ...['*', '_', '~'].map(styled)].join('|'), 'gu')

type Fill = (name: string, written: string) => ReactNode

/** `fill`: what is to be seen instead of a variable. */
export function Formatted({ text, fill }: { text: string; fill: Fill }) {
  return <>{format(text, fill)}</>
}

function format(text: string, fill: Fill): ReactNode[] {
  const pieces: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(parts)) {
    const [whole, name, mono, bold, italic, struck] = match
    pieces.push(text.slice(end, match.index))
    end = match.index + whole.length
    if (name !== undefined) pieces.push(fill(name.trim(), whole))
    else if (mono !== undefined) pieces.push(<code>{mono}</code>)
    else if (bold !== undefined) pieces.push(<b>{format(bold, fill)}</b>)
    else if (italic !== undefined) pieces.push(<i>{format(italic, fill)}</i>)
    else if (struck !== undefined) pieces.push(<s>{format(struck, fill)}</s>)
  }
  pieces.push(text.slice(end))
  // biome-ignore lint/suspicious/noArrayIndexKey: they are the text's own order.
  return pieces.map((piece, index) => <Fragment key={index}>{piece}</Fragment>)
}
