// Documents as trees: headings with GitHub's anchors, links, code. Shared by the site and by the tests of documents.
import { lexer, type Token, type Tokens, walkTokens } from 'marked'

export interface Heading {
  depth: number
  /** As it reads, without marks. */
  text: string
  anchor: string
  token: Tokens.Heading
}

export interface CodePiece {
  /** The fence's words, such as `sh elsewhere`; `none` for a block that has none, empty for a span. */
  language: string
  text: string
}

export interface Document {
  tokens: Token[]
  headings: Heading[]
  /** Addresses of links and images. */
  links: string[]
  images: string[]
  code: CodePiece[]
}

export function readDocument(text: string): Document {
  const tokens = lexer(text)
  const anchorOf = createAnchors()
  const found: Document = { tokens, headings: [], links: [], images: [], code: [] }
  void walkTokens(tokens, (token) => {
    if (token.type === 'heading') {
      const heading = token as Tokens.Heading
      const plain = plainText(heading.tokens)
      const anchor = anchorOf(plain)
      found.headings.push({ depth: heading.depth, text: plain, anchor, token: heading })
    } else if (token.type === 'link') found.links.push(token.href)
    else if (token.type === 'image') found.images.push(token.href)
    else if (token.type === 'codespan') found.code.push({ language: '', text: token.text })
    else if (token.type === 'code') {
      found.code.push({ language: token.lang || 'none', text: token.text })
    }
  })
  return found
}

/** What a reader sees of inline tokens. */
export function plainText(tokens: readonly Token[] = []): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      if (token.type === 'br' || token.type === 'html') return ' '
      const text = 'text' in token ? String(token.text) : ''
      return token.type === 'codespan' ? text : decoded(text)
    })
    .join('')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')

/** GitHub's anchors of one document: lower case, letters, digits, `_` and `-`; a repeated one gets a number. */
export function createAnchors(): (heading: string) => string {
  const taken = new Map<string, number>()
  return (heading) => {
    const base = slug(heading)
    let anchor = base
    while (taken.has(anchor)) {
      const count = (taken.get(base) ?? 0) + 1
      taken.set(base, count)
      anchor = `${base}-${count}`
    }
    taken.set(anchor, 0)
    return anchor
  }
}

export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}
