// A field to find rows by: what is typed counts after a short rest, not with every key.
import { useEffect, useRef, useState } from 'react'
import { useShortcut } from '../shell/shortcuts.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Icon } from './icon.tsx'

const restMs = 250

export function Finder({
  label,
  value,
  onFind,
}: {
  label: string
  value: string
  onFind(text: string): void
}) {
  const words = useWords(common)
  const [text, setText] = useState(value)
  const field = useRef<HTMLInputElement>(null)
  const find = useRef(onFind)
  find.current = onFind
  // The back button changes what is asked for, too.
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const rest = setTimeout(() => find.current(text), restMs)
    return () => clearTimeout(rest)
  }, [text, value])
  useShortcut('/', words.search, () => field.current?.focus())
  return (
    <span className="control finder">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFind(text)
          if (event.key === 'Escape') field.current?.blur()
        }}
      />
      <kbd className="wide-only">/</kbd>
    </span>
  )
}
