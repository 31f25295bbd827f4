// What narrows the list: search, segments, and the filter's menu.
import { useEffect, useRef, useState } from 'react'
import { Segments } from '../../../parts/basics.tsx'
import { IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Menu, MenuChoice, MenuItem } from '../../../parts/menu.tsx'
import { useShortcut } from '../../../shell/shortcuts.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { useCounts } from '../mark.ts'
import { useNumbers } from '../people.ts'
import { inboxWords } from '../words.ts'
import { type Filter, type Segment, segments } from './filter.ts'

interface ToolsProps {
  filter: Filter
  onFilter(changes: Partial<Filter>): void
}

const pauseMs = 250

export function ListHead({ filter, onFilter }: ToolsProps) {
  const words = useWords(inboxWords)
  const countText = useCountText()
  const { data: counts } = useCounts()
  return (
    <div className="inbox-head">
      <h1>{words.inbox}</h1>
      {counts && <span className="muted num">{words.openCount(countText(counts.open))}</span>}
      <span className="push">
        <FilterMenu filter={filter} onFilter={onFilter} />
      </span>
    </div>
  )
}

function useCountText(): (count: number) => string {
  const format = useFormat()
  return (count) => (count > 999 ? `${format.number(999)}+` : format.number(count))
}

export function ListTools({ filter, onFilter }: ToolsProps) {
  const words = useWords(inboxWords)
  const { data: counts } = useCounts()
  const countText = useCountText()
  const isNarrowed = filter.q !== '' || filter.number !== undefined || filter.isUnread
  // The count is of all; beside a narrowed list it would be a lie.
  const countOf = (segment: Segment) => {
    if (!counts || isNarrowed) return undefined
    if (segment === 'mine') return counts.mine ? countText(counts.mine) : undefined
    return segment === 'nobody' && counts.unassigned ? countText(counts.unassigned) : undefined
  }
  return (
    <div className="inbox-tools">
      <Search sought={filter.q} onSeek={(q) => onFilter({ q })} />
      <Segments
        label={words.show}
        choices={segments.map((value) => ({
          value,
          label: words.segments[value],
          count: countOf(value),
        }))}
        chosen={filter.show}
        onChoose={(show) => onFilter({ show })}
      />
    </div>
  )
}

/** Asks when somebody stops typing for a moment, or presses Enter. */
function Search({ sought, onSeek }: { sought: string; onSeek(q: string): void }) {
  const words = useWords(inboxWords)
  const [typed, setTyped] = useState(sought)
  const field = useRef<HTMLInputElement>(null)
  const seek = useRef(onSeek)
  seek.current = onSeek
  useShortcut('/', words.keys.search, () => {
    field.current?.focus()
    field.current?.select()
  })
  // The back button changes what is sought, too.
  useEffect(() => setTyped(sought), [sought])
  useEffect(() => {
    if (typed === sought) return
    const later = setTimeout(() => seek.current(typed), pauseMs)
    return () => clearTimeout(later)
  }, [typed, sought])
  const clear = () => {
    setTyped('')
    onSeek('')
    field.current?.focus()
  }
  return (
    <search>
      <div className="control">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          enterKeyHint="search"
          aria-label={words.search}
          placeholder={words.search}
          value={typed}
          maxLength={200}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') onSeek(typed)
            if (event.key !== 'Escape') return
            if (typed === '') field.current?.blur()
            else clear()
          }}
        />
        {typed !== '' && <IconButton icon="x" label={words.clearSearch} onClick={clear} />}
      </div>
    </search>
  )
}

function FilterMenu({ filter, onFilter }: ToolsProps) {
  const words = useWords(inboxWords)
  const { data: numbers = [] } = useNumbers()
  const isOn = filter.number !== undefined || filter.isUnread
  return (
    <Menu
      label={words.filter}
      button={(press) => (
        <IconButton
          icon="filter"
          label={isOn ? words.filterOn : words.filter}
          className={isOn ? 'inbox-filter-on' : ''}
          {...press}
        />
      )}
    >
      {(close) => {
        const choose = (changes: Partial<Filter>) => {
          close()
          onFilter(changes)
        }
        return (
          <>
            <MenuItem
              role="menuitemcheckbox"
              aria-checked={filter.isUnread}
              onClick={() => choose({ isUnread: !filter.isUnread })}
            >
              {words.unreadOnly}
            </MenuItem>
            {numbers.length > 1 && (
              <>
                <hr />
                <div className="menu-title">{words.number}</div>
                <MenuChoice
                  isChosen={filter.number === undefined}
                  onClick={() => choose({ number: undefined })}
                >
                  {words.allNumbers}
                </MenuChoice>
                {numbers.map(({ phone_number_id, display_phone_number }) => (
                  <MenuChoice
                    key={phone_number_id}
                    isChosen={filter.number === phone_number_id}
                    onClick={() => choose({ number: phone_number_id })}
                  >
                    {display_phone_number}
                  </MenuChoice>
                ))}
              </>
            )}
            {isOn && (
              <>
                <hr />
                <MenuItem onClick={() => choose({ number: undefined, isUnread: false })}>
                  <Icon name="x" /> {words.clearFilter}
                </MenuItem>
              </>
            )}
          </>
        )
      }}
    </Menu>
  )
}
