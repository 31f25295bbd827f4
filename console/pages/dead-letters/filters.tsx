// What is shown: state, direction, reason, time, and something typed. All of it is in the address.
import { type RefObject, useEffect, useState } from 'react'
import { Segments } from '../../parts/basics.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuChoice } from '../../parts/menu.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Asked, type Counts, type Letter, type Span, shows, spans, sumOf } from './letters.ts'
import { reasonWords } from './reason-words.ts'
import { letterWords } from './words.ts'

/** As long as somebody types, nothing is asked. */
const pauseMs = 300

interface FiltersProps {
  asked: Asked
  counts: Counts | undefined
}

export function Filters({ asked, counts }: FiltersProps) {
  const words = useWords(letterWords)
  const format = useFormat()
  const { ask } = usePlace()
  const numberOf = (wanted: Parameters<typeof sumOf>[1]) => {
    const count = sumOf(counts, wanted)
    return count === undefined ? undefined : format.number(count)
  }
  return (
    <div className="letters-filters">
      <Segments
        label={words.state}
        choices={[
          { value: 'open', label: words.toDecide },
          { value: 'decided', label: words.decided },
        ]}
        chosen={asked.isDecided ? 'decided' : 'open'}
        onChoose={(state) => ask({ state: state === 'decided' ? state : undefined })}
      />
      <Segments
        label={words.direction}
        choices={shows.map((show) => ({
          value: show,
          label: words.shows[show],
          count: numberOf({ show, reason: asked.reason, code: asked.code }),
        }))}
        chosen={asked.show}
        onChoose={(show) => ask({ show: show === 'all' ? undefined : show })}
      />
      <ReasonMenu asked={asked} counts={counts} />
      <SpanMenu asked={asked} />
      {asked.code && (
        <span className="badge letters-chip">
          {words.code(asked.code)}
          <IconButton icon="x" label={words.drop} onClick={() => ask({ code: undefined })} />
        </span>
      )}
    </div>
  )
}

function ReasonMenu({ asked, counts }: FiltersProps) {
  const words = useWords(letterWords)
  const reasons = useWords(reasonWords)
  const format = useFormat()
  const { ask } = usePlace()
  const known = (Object.keys(reasons) as Letter['reason'][])
    .map((reason) => ({ reason, count: sumOf(counts, { show: asked.show, reason }) ?? 0 }))
    .filter(({ reason, count }) => count > 0 || reason === asked.reason)
    .toSorted((one, other) => other.count - one.count)
  const chosen =
    asked.reason && Object.hasOwn(reasons, asked.reason) ? reasons[asked.reason].title : words.any
  const choose = (reason: string | undefined) => ask({ reason, code: undefined })
  return (
    <Menu
      label={words.reason}
      button={(press) => (
        <Button {...press} className={asked.reason ? 'is-set' : ''}>
          {words.reason}: {chosen}
          <Icon name="down" />
        </Button>
      )}
    >
      {(close) => (
        <>
          <MenuChoice
            isChosen={!asked.reason}
            onClick={() => {
              close()
              choose(undefined)
            }}
          >
            {words.any}
          </MenuChoice>
          {known.map(({ reason, count }) => (
            <MenuChoice
              key={reason}
              isChosen={reason === asked.reason}
              data-reason={reason}
              onClick={() => {
                close()
                choose(reason)
              }}
            >
              <span className="cut">{reasons[reason].title}</span>
              <span className="push num muted">{format.number(count)}</span>
            </MenuChoice>
          ))}
        </>
      )}
    </Menu>
  )
}

function SpanMenu({ asked }: { asked: Asked }) {
  const words = useWords(letterWords)
  const { ask } = usePlace()
  return (
    <Menu
      label={words.since}
      button={(press) => (
        <Button {...press} className={asked.since ? 'is-set' : ''}>
          {words.since}: {asked.since ? words.spans[asked.since] : words.any}
          <Icon name="down" />
        </Button>
      )}
    >
      {(close) =>
        [undefined, ...(Object.keys(spans) as Span[])].map((span) => (
          <MenuChoice
            key={span ?? 'any'}
            isChosen={span === asked.since}
            onClick={() => {
              close()
              ask({ since: span })
            }}
          >
            {span ? words.spans[span] : words.any}
          </MenuChoice>
        ))
      }
    </Menu>
  )
}

export function SearchField({
  asked,
  field,
}: {
  asked: Asked
  field: RefObject<HTMLInputElement | null>
}) {
  const words = useWords(letterWords)
  const { ask } = usePlace()
  const [text, setText] = useState(asked.q ?? '')
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed starts the wait.
  useEffect(() => {
    const said = text.trim()
    if (said === (asked.q ?? '')) return
    const wait = setTimeout(() => ask({ q: said || undefined }), pauseMs)
    return () => clearTimeout(wait)
  }, [text])
  return (
    <label className="control letters-search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        name="q"
        aria-label={words.searchLabel}
        placeholder={words.search}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') ask({ q: text.trim() || undefined })
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
    </label>
  )
}
