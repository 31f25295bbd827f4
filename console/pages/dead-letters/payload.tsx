// What could not be sent or applied: its JSON folded, its text as it is, or its bytes.
import { useMemo, useState } from 'react'
import { Segments } from '../../parts/basics.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import type { Inspection } from './letters.ts'
import { letterWords } from './words.ts'

export function Payload({ letter }: { letter: Inspection }) {
  const words = useWords(letterWords)
  const format = useFormat()
  const [look, setLook] = useState<'formatted' | 'raw'>('formatted')
  const { raw, raw_encoding, raw_bytes, outbound } = letter
  const parsed = useMemo(() => parse(raw, raw_encoding), [raw, raw_encoding])
  return (
    <section className="letters-part">
      <div className="row">
        <h3>{outbound ? words.asSent : words.asCame}</h3>
        <span className="muted xs num">{format.bytes(raw_bytes)}</span>
        <span className="push" />
        <CopyButton text={raw} />
      </div>
      {parsed !== undefined && (
        <Segments
          label={words.payload}
          choices={[
            { value: 'formatted', label: words.formatted },
            { value: 'raw', label: words.raw },
          ]}
          chosen={look}
          onChoose={(chosen) => setLook(chosen)}
        />
      )}
      {raw_encoding === 'hex' && <p className="muted xs">{words.isHex}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it has to be reachable by keys. */}
      <div className="letters-code" role="region" aria-label={words.payload} tabIndex={0}>
        {parsed !== undefined && look === 'formatted' ? (
          <Node value={parsed.value} depth={0} />
        ) : (
          <pre>{raw_encoding === 'hex' ? hexLines(raw) : raw}</pre>
        )}
      </div>
    </section>
  )
}

function parse(raw: string, encoding: Inspection['raw_encoding']): { value: unknown } | undefined {
  if (encoding === 'hex') return undefined
  try {
    const value: unknown = JSON.parse(raw)
    return typeof value === 'object' && value !== null ? { value } : undefined
  } catch {
    return undefined
  }
}

/** Sixteen bytes a line, each line with its place. */
export function hexLines(hex: string): string {
  const lines = hex.match(/.{1,32}/g) ?? []
  return lines
    .map(
      (line, at) => `${(at * 16).toString(16).padStart(6, '0')}  ${line.replace(/(..)/g, '$1 ')}`,
    )
    .join('\n')
}

const shownAtOnce = 100
const openDepth = 3

function Node({ name, value, depth }: { name?: string; value: unknown; depth: number }) {
  const words = useWords(letterWords)
  const format = useFormat()
  const [shown, setShown] = useState(shownAtOnce)
  const label = name !== undefined && (
    <>
      <span className="letters-name">{JSON.stringify(name)}</span>:{' '}
    </>
  )
  if (typeof value !== 'object' || value === null) {
    return (
      <div className="letters-leaf">
        {label}
        {JSON.stringify(value)}
      </div>
    )
  }
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const count = format.number(entries.length)
  return (
    <details open={depth < openDepth}>
      <summary>
        {label}
        {isList ? '[' : '{'}
        <span className="letters-fold">
          {isList ? words.items(count) : words.fields(count)} {isList ? ']' : '}'}
        </span>
      </summary>
      <div className="letters-inner">
        {entries.slice(0, shown).map(([key, inner]) => (
          <Node key={key} {...(!isList && { name: key })} value={inner} depth={depth + 1} />
        ))}
        {entries.length > shown && (
          <button type="button" className="letters-more" onClick={() => setShown(entries.length)}>
            {words.moreItems(format.number(entries.length - shown))}
          </button>
        )}
      </div>
      {isList ? ']' : '}'}
    </details>
  )
}
