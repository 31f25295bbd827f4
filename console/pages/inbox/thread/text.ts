// WhatsApp's own marks in a text (*bold*, _italic_, ~strike~, ```mono```, `code`) and its links, as data. Never HTML.

export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'bold' | 'italic' | 'strike'; pieces: Piece[] }
  | { kind: 'mono'; text: string; isBlock: boolean }
  | { kind: 'link'; text: string; href: string }

const marks = { '*': 'bold', _: 'italic', '~': 'strike' } as const

/** Deep enough for anything a person writes; what is deeper stays as it is written. */
const maxDepth = 4

export function parseText(text: string, depth = 0): Piece[] {
  const pieces: Piece[] = []
  const unclosed: Unclosed = {}
  let plain = ''
  const flush = () => {
    if (plain) pieces.push(...withLinks(plain))
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const found =
      monoAt(text, at) ?? (depth < maxDepth ? markedAt(text, at, depth, unclosed) : undefined)
    // An address may hold any of the marks.
    const address = found ? undefined : addressAt(text, at)
    if (found) {
      flush()
      pieces.push(found.piece)
      at = found.end
    } else {
      plain += address ?? text[at]
      at += address?.length ?? 1
    }
  }
  flush()
  return pieces
}

interface Found {
  piece: Piece
  end: number
}

function monoAt(text: string, at: number): Found | undefined {
  if (text[at] !== '`') return undefined
  const fence = text.startsWith('```', at) ? '```' : '`'
  const end = text.indexOf(fence, at + fence.length)
  const inside = text.slice(at + fence.length, end)
  if (end < 0 || inside.trim() === '' || (fence === '`' && inside.includes('\n'))) return undefined
  const isBlock = fence === '```' && inside.includes('\n')
  return { piece: { kind: 'mono', text: inside, isBlock }, end: end + fence.length }
}

const isWordLike = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char)
const isBlank = (char: string | undefined) => char === undefined || /\s/.test(char)

/** Up to where each mark is known to be closed by nothing: so that no text takes longer than it is long. */
type Unclosed = Partial<Record<keyof typeof marks, number>>

/** A mark opens before a word and closes after one, on one line, and not in the middle of a word. */
function markedAt(text: string, at: number, depth: number, unclosed: Unclosed): Found | undefined {
  const mark = text[at] as keyof typeof marks
  const kind = Object.hasOwn(marks, mark) ? marks[mark] : undefined
  if (!kind || isWordLike(text[at - 1]) || isBlank(text[at + 1]) || text[at + 1] === mark) {
    return undefined
  }
  if (at < (unclosed[mark] ?? 0)) return undefined
  const lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at)
  for (
    let end = text.indexOf(mark, at + 2);
    end > 0 && end < lineEnd;
    end = text.indexOf(mark, end + 1)
  ) {
    if (isBlank(text[end - 1]) || isWordLike(text[end + 1])) continue
    return { piece: { kind, pieces: parseText(text.slice(at + 1, end), depth + 1) }, end: end + 1 }
  }
  unclosed[mark] = lineEnd
  return undefined
}

const addressShape = /(?:https?:\/\/|mailto:|tel:|www\.)[^\s<>"'`]+/iy
const closers = /[.,;:!?*_~)\]}»”’]+$/

function addressAt(text: string, at: number): string | undefined {
  if (isWordLike(text[at - 1])) return undefined
  addressShape.lastIndex = at
  return addressShape.exec(text)?.[0]
}

function withLinks(text: string): Piece[] {
  const pieces: Piece[] = []
  let rest = 0
  for (let at = 0; at < text.length; ) {
    const address = addressAt(text, at)
    const shown = address && withoutCloser(address)
    const href = shown && safeHref(shown)
    if (!shown || !href) {
      at += address?.length ?? 1
      continue
    }
    if (at > rest) pieces.push({ kind: 'text', text: text.slice(rest, at) })
    pieces.push({ kind: 'link', text: shown, href })
    at += shown.length
    rest = at
  }
  if (rest < text.length) pieces.push({ kind: 'text', text: text.slice(rest) })
  return pieces
}

/** What ends a sentence is not part of the address; a bracket is, where the address opened it. */
function withoutCloser(address: string): string {
  const closer = closers.exec(address)?.[0] ?? ''
  const bare = address.slice(0, address.length - closer.length)
  return closer.startsWith(')') && bare.includes('(') ? `${bare})` : bare
}

const safeSchemes = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/** Undefined for everything that a click must not follow: `javascript:`, `data:`, `file:` and the like. */
export function safeHref(address: unknown): string | undefined {
  if (typeof address !== 'string') return undefined
  const whole = /^www\./i.test(address) ? `https://${address}` : address
  if (!URL.canParse(whole)) return undefined
  const url = new URL(whole)
  return safeSchemes.has(url.protocol) ? url.href : undefined
}

// Written as codes: the characters themselves would turn this line around.
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** A name or a filename without the characters that turn text around: "fdp.exe" must not pass for "exe.pdf". */
export function plainName(name: string): string {
  return name.replace(turning, '')
}

const longText = 1_200
const longLines = 16

/** The beginning of a text that is too long to be shown at once; undefined when it is not. */
export function beginningOf(text: string): string | undefined {
  const lines = text.split('\n', longLines + 1)
  const short = lines.length > longLines ? lines.slice(0, longLines).join('\n') : text
  if (short.length <= longText && short === text) return undefined
  const cut = short.slice(0, longText)
  // Not through the middle of a character.
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
