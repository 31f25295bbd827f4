// Templates to choose from. Those that cannot be sent are there too, with why.
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { Icon } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { pickerWords } from './picker-words.ts'
import { type Template, whyNot } from './template-fields.ts'

const languageKey = 'estafet.template-language'

export const rememberLanguage = (language: string) => localStorage.setItem(languageKey, language)

interface TemplateListProps {
  templates: Template[]
  isMarketingStopped: boolean
  chosenId: string | undefined
  onChoose(template: Template): void
}

export function TemplateList(props: TemplateListProps) {
  const { templates, isMarketingStopped, chosenId, onChoose } = props
  const words = useWords(pickerWords)
  const format = useFormat()
  const nameOfLanguage = useLanguageName()
  const [query, setQuery] = useState('')
  const languages = [...new Set(templates.map(({ language }) => language))].toSorted()
  const [language, setLanguage] = useState(() => {
    const last = localStorage.getItem(languageKey) ?? ''
    return languages.includes(last) ? last : ''
  })
  const found = matching(templates, { query, language, isMarketingStopped })
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const [at, setAt] = useState(0)
  const active = Math.min(at, Math.max(0, found.length - 1))

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Record<string, number> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      Home: 0,
      End: found.length - 1,
    }
    const next = steps[event.key]
    const one = found[active]
    if (event.key === 'Enter' || event.key === ' ') {
      if (one && !whyNot(one, isMarketingStopped)) onChoose(one)
    } else if (next === undefined) return
    else {
      const place = Math.max(0, Math.min(next, found.length - 1))
      setAt(place)
      list.current?.children[place]?.scrollIntoView({ block: 'nearest' })
    }
    event.preventDefault()
  }
  return (
    <div className="picker-list">
      <div className="picker-tools">
        <label className="control picker-search">
          <Icon name="search" />
          <input
            type="search"
            placeholder={words.search(format.number(templates.length))}
            aria-label={words.search(format.number(templates.length))}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value)
              setAt(0)
            }}
            onKeyDown={(event) => {
              if (event.key !== 'ArrowDown') return
              event.preventDefault()
              list.current?.focus()
            }}
          />
        </label>
        {languages.length > 1 && (
          <select
            className="control"
            aria-label={words.language}
            value={language}
            onChange={(event) => setLanguage(event.target.value)}
          >
            <option value="">{words.allLanguages}</option>
            {languages.map((one) => (
              <option key={one} value={one}>
                {nameOfLanguage(one)}
              </option>
            ))}
          </select>
        )}
      </div>
      {found.length === 0 ? (
        <p className="picker-none soft" role="status">
          {words.noneFound}
        </p>
      ) : (
        <div
          ref={list}
          className="picker-options"
          role="listbox"
          aria-label={words.list}
          tabIndex={0}
          aria-activedescendant={`${id}-${active}`}
          onKeyDown={onKeyDown}
        >
          {found.map((one, index) => (
            <Option
              key={one.id}
              id={`${id}-${index}`}
              template={one}
              why={whyNot(one, isMarketingStopped)}
              isChosen={one.id === chosenId}
              isActive={index === active}
              onChoose={() => {
                setAt(index)
                onChoose(one)
              }}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function Option({
  id,
  template,
  why,
  isChosen,
  isActive,
  onChoose,
}: {
  id: string
  template: Template
  why: ReturnType<typeof whyNot>
  isChosen: boolean
  isActive: boolean
  onChoose(): void
}) {
  const words = useWords(pickerWords)
  const nameOfLanguage = useLanguageName()
  const { category } = template
  const known = (words.categories as Record<string, string | undefined>)[category ?? '']
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, as a listbox does.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys.
    <div
      id={id}
      className={`picker-option ${isActive ? 'is-active' : ''}`}
      role="option"
      aria-selected={isChosen}
      aria-disabled={why !== undefined}
      onClick={why === undefined ? onChoose : undefined}
    >
      <b className="cut">{template.name}</b>
      <small>
        {nameOfLanguage(template.language)} · {why ? words.whyNot[why] : (known ?? category)}
      </small>
    </div>
  )
}

/** What can be sent first, by name. */
function matching(
  templates: Template[],
  {
    query,
    language,
    isMarketingStopped,
  }: Record<'query' | 'language', string> & {
    isMarketingStopped: boolean
  },
): Template[] {
  const wanted = query
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean)
  const rank = (one: Template) => (whyNot(one, isMarketingStopped) === undefined ? 0 : 1)
  return templates
    .filter((one) => language === '' || one.language === language)
    .filter((one) => {
      const text = `${one.name} ${JSON.stringify(one.components)}`.toLowerCase()
      return wanted.every((word) => text.includes(word))
    })
    .toSorted(
      (one, other) =>
        rank(one) - rank(other) ||
        one.name.localeCompare(other.name) ||
        one.language.localeCompare(other.language),
    )
}

/** `pt_BR` → Portuguese (Brazil), in the page's language. */
function useLanguageName(): (code: string) => string {
  const { locale } = useFormat()
  return (code) => {
    try {
      const name = new Intl.DisplayNames([locale], { type: 'language' }).of(code.replace('_', '-'))
      return name ? name.charAt(0).toUpperCase() + name.slice(1) : code
    } catch {
      return code
    }
  }
}
