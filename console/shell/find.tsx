// A message, person or id, found from anywhere: leads to the trace.
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../api/session.tsx'
import { Icon } from '../parts/icon.tsx'
import { useWords } from '../words/language.tsx'
import { usePlace } from './place.tsx'
import { useShortcut } from './shortcuts.tsx'
import { shellWords } from './words.ts'

/** For those who may see traces. `Ctrl K` always, `/` where no page has a search of its own. */
export function Find() {
  const { may } = useSession()
  return may('admin') ? <FindField /> : null
}

const isMac = /Mac/.test(navigator.platform)

function FindField() {
  const words = useWords(shellWords)
  const { go } = usePlace()
  const [text, setText] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', words.find, () => field.current?.focus())
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      if (document.querySelector('dialog[open]')) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <form
      className="shell-find wide-only"
      role="search"
      aria-label={words.findAnything}
      onSubmit={(event) => {
        event.preventDefault()
        const q = text.trim()
        if (q === '') return
        go('/trace', { q })
        setText('')
        field.current?.blur()
      }}
    >
      <label className="control">
        <Icon name="search" />
        <input
          ref={field}
          name="find"
          autoComplete="off"
          aria-label={words.findAnything}
          placeholder={words.findAnything}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur()
          }}
        />
        {/* Not the `/`: on a page with a search of its own that would be two fields with one key. */}
        <kbd>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
      </label>
    </form>
  )
}
