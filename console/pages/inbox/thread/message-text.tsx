// A text with WhatsApp's marks as elements and safe links. Whatever it says, it is text.
import { type ReactNode, useMemo, useState } from 'react'
import { useWords } from '../../../words/language.tsx'
import { beginningOf, type Piece, parseText } from './text.ts'
import { threadWords } from './words.ts'

export function MessageText({ text }: { text: string }) {
  const words = useWords(threadWords)
  const [isWhole, setWhole] = useState(false)
  const beginning = useMemo(() => beginningOf(text), [text])
  const shown = beginning === undefined || isWhole ? text : beginning
  const pieces = useMemo(() => parseText(shown), [shown])
  return (
    <>
      <div className="thread-text" dir="auto">
        {pieces.map(drawn)}
        {shown !== text && '…'}
      </div>
      {beginning !== undefined && (
        <button type="button" className="thread-more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showLess : words.showAll}
        </button>
      )}
    </>
  )
}

/** Pieces never change their order: their place names them. */
function drawn(piece: Piece, place: number): ReactNode {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'bold':
      return <strong key={place}>{piece.pieces.map(drawn)}</strong>
    case 'italic':
      return <em key={place}>{piece.pieces.map(drawn)}</em>
    case 'strike':
      return <s key={place}>{piece.pieces.map(drawn)}</s>
    case 'mono':
      return (
        <code key={place} className={piece.isBlock ? 'is-block' : ''}>
          {piece.text}
        </code>
      )
    case 'link':
      return (
        <SafeLink key={place} href={piece.href}>
          {piece.text}
        </SafeLink>
      )
  }
}

/** `href` from `safeHref`. It says nothing to where it leads about where it came from. */
export function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" dir="auto">
      {children}
    </a>
  )
}
