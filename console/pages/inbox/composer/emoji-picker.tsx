// Emoji by group, by name, and those used last. Arrow keys walk through them.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { Icon } from '../../../parts/icon.tsx'
import { Skeleton } from '../../../parts/states.tsx'
import { useLanguage, useWords } from '../../../words/language.tsx'
import { type Emoji, findEmoji, loadEmoji, recentEmoji, rememberEmoji } from './emoji-data.ts'
import { emojiWords } from './emoji-words.ts'
import './emoji.css'

const columns = 8
const mostFound = 120
/** Shown on the tabs; their names are for hovering and for screen readers. */
const tabs = {
  0: '😀',
  1: '👋',
  3: '🌿',
  4: '🍎',
  5: '✈️',
  6: '⚽',
  7: '💡',
  8: '❤️',
  9: '🏳️',
} as const
type Group = keyof typeof tabs
const groups = Object.keys(tabs).map(Number) as Group[]

export function EmojiPicker({
  onChoose,
  onClose,
}: {
  onChoose(emoji: string): void
  onClose(): void
}) {
  const words = useWords(emojiWords)
  const { language } = useLanguage()
  const { data: all } = useQuery({
    queryKey: ['emoji', language],
    queryFn: () => loadEmoji(language),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [recent] = useState(recentEmoji)
  const [group, setGroup] = useState<Group | 'recent'>(recent.length > 0 ? 'recent' : 0)
  const [query, setQuery] = useState('')
  const own = useRef<HTMLDivElement>(null)
  const id = useId()
  useOutside(own, onClose)
  const shown = all && choose(all, { query, group, recent })
  return (
    <div
      ref={own}
      className="emoji"
      role="dialog"
      aria-label={words.title}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onClose()
        own.current?.parentElement?.querySelector('button')?.focus()
      }}
    >
      <label className="control">
        <Icon name="search" />
        <input
          // biome-ignore lint/a11y/noAutofocus: it was opened to find something.
          autoFocus
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            const first = own.current?.querySelector<HTMLElement>('.emoji-grid button')
            if (event.key === 'ArrowDown') first?.focus()
            if (event.key === 'Enter') first?.click()
            if (event.key === 'ArrowDown' || event.key === 'Enter') event.preventDefault()
          }}
        />
      </label>
      {query === '' && (
        <div className="emoji-groups" role="group" aria-label={words.title}>
          {recent.length > 0 && (
            <button
              type="button"
              aria-pressed={group === 'recent'}
              aria-label={words.recent}
              title={words.recent}
              onClick={() => setGroup('recent')}
            >
              <Icon name="clock" />
            </button>
          )}
          {groups.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={group === one}
              aria-label={words.groups[one]}
              title={words.groups[one]}
              onClick={() => setGroup(one)}
            >
              {tabs[one]}
            </button>
          ))}
        </div>
      )}
      {shown ? (
        <Grid
          key={`${id} ${query} ${group}`}
          label={query ? words.search : group === 'recent' ? words.recent : words.groups[group]}
          emoji={shown}
          onChoose={(emoji) => {
            rememberEmoji(emoji)
            onChoose(emoji)
          }}
        />
      ) : (
        <Skeleton lines={5} />
      )}
    </div>
  )
}

function choose(
  all: Emoji[],
  { query, group, recent }: { query: string; group: Group | 'recent'; recent: string[] },
): Emoji[] {
  if (query !== '') return findEmoji(all, query).slice(0, mostFound)
  if (group !== 'recent') return all.filter((one) => one.group === group)
  return recent.flatMap((text) => all.find((one) => one.text === text) ?? [])
}

function Grid({
  label,
  emoji,
  onChoose,
}: {
  label: string
  emoji: Emoji[]
  onChoose(emoji: string): void
}) {
  const words = useWords(emojiWords)
  const [at, setAt] = useState(0)
  const grid = useRef<HTMLDivElement>(null)
  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at + columns,
      ArrowUp: at - columns,
      Home: 0,
      End: emoji.length - 1,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    if (next < 0) return void grid.current?.closest('.emoji')?.querySelector('input')?.focus()
    const place = Math.min(next, emoji.length - 1)
    setAt(place)
    grid.current?.querySelectorAll('button')[place]?.focus()
  }
  return (
    <div ref={grid} className="emoji-grid" role="group" aria-label={label} onKeyDown={onKeyDown}>
      {emoji.map(({ text, name }, index) => (
        <button
          key={text}
          type="button"
          aria-label={name}
          title={name}
          tabIndex={index === at ? 0 : -1}
          onClick={() => onChoose(text)}
        >
          {text}
        </button>
      ))}
      {emoji.length === 0 && (
        <p className="muted" role="status">
          {words.nothing}
        </p>
      )}
    </div>
  )
}

function useOutside(own: React.RefObject<HTMLElement | null>, onOutside: () => void): void {
  const latest = useRef(onOutside)
  latest.current = onOutside
  useEffect(() => {
    const onPress = (event: PointerEvent) => {
      // The button that opened it closes it by itself.
      if (!own.current?.parentElement?.contains(event.target as Node)) latest.current()
    }
    addEventListener('pointerdown', onPress, true)
    return () => removeEventListener('pointerdown', onPress, true)
  }, [own])
}
