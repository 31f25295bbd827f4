// Dead letters: what could not be sent or applied, why, and what a person makes of it.
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { Button, IconButton } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useShortcut } from '../../shell/shortcuts.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Choosing, useChoosing } from './choosing.ts'
import { DecideMany } from './decide-many.tsx'
import { DecideOne } from './decide-one.tsx'
import { decideWords } from './decide-words.ts'
import { Filters, SearchField } from './filters.tsx'
import { Inspector } from './inspector.tsx'
import {
  type Asked,
  type Counts,
  type Inspection,
  kindsOf,
  type Letter,
  sumOf,
  useAsked,
  useCounts,
  useLetters,
  type Verb,
} from './letters.ts'
import { useNewOnes } from './new-ones.ts'
import { LetterTable } from './table.tsx'
import { letterWords } from './words.ts'
import './dead-letters.css'

export function Page() {
  const { params, search, go } = usePlace()
  const asked = useAsked()
  const found = useLetters(asked)
  const { letters } = found
  const { data: counts } = useCounts(asked.wide, asked.isDecided ? 'decided' : 'open')
  const total = sumOf(counts, asked)
  const choosing = useChoosing(letters, JSON.stringify([asked.isDecided, asked.filter]))
  const [one, setOne] = useState<{ letter: Inspection; verb: Verb }>()
  const [many, setMany] = useState<Verb>()
  const goTo = useRef<(index: number) => void>(() => undefined)
  const searchField = useRef<HTMLInputElement>(null)
  const stay = ({ tenant: _, tab: __, ...rest }: typeof search) => rest
  const open = (id: string | undefined, replace = false) =>
    go(id ? `/dead-letters/${id}` : '/dead-letters', stay(search), { replace })
  const at = letters.findIndex(({ id }) => id === params.id)
  const next = at < 0 ? undefined : letters[at + 1]
  const close = () => {
    open(undefined)
    if (at >= 0) goTo.current(at)
  }
  useKeys({
    letters,
    at,
    choosing,
    goTo,
    searchField,
    onRequeue: () => setMany('requeue'),
    onClose: close,
  })
  return (
    <div className={`letters ${params.id ? 'has-chosen' : ''}`}>
      <section className="letters-main" aria-label={useWords(letterWords).title}>
        <Heading asked={asked} total={counts && total}>
          <SearchField key={asked.q ?? ''} asked={asked} field={searchField} />
        </Heading>
        <Filters asked={asked} counts={counts} />
        <NewOnes asked={asked} letters={letters} loadedAt={found.dataUpdatedAt} />
        {found.data === undefined ? (
          found.error ? (
            <Trouble error={found.error} onRetry={() => void found.refetch()} />
          ) : (
            <Skeleton lines={8} />
          )
        ) : letters.length === 0 ? (
          <Nothing asked={asked} />
        ) : (
          <LetterTable
            letters={letters}
            total={total}
            asked={asked}
            choosing={choosing}
            openId={params.id}
            hasMore={found.hasNextPage && !found.isFetchingNextPage}
            onMore={found.fetchNextPage}
            goTo={goTo}
          />
        )}
        <BulkBar
          choosing={choosing}
          letters={letters}
          total={total ?? letters.length}
          onDecide={setMany}
        />
      </section>
      {params.id && (
        <Inspector
          key={params.id}
          id={params.id}
          onClose={close}
          onNext={next && (() => open(next.id, true))}
          onDecide={(letter, verb) => setOne({ letter, verb })}
        />
      )}
      {one && <DecideOne {...one} onClose={() => setOne(undefined)} />}
      {many && (
        <DecideMany
          verb={many}
          target={choosing.isAll ? { filter: asked.filter } : { ids: [...choosing.ids] }}
          groups={choosing.isAll ? matching(counts, asked) : groupsOf(letters, choosing)}
          onClose={() => setMany(undefined)}
          onDone={choosing.clear}
        />
      )}
    </div>
  )
}

function matching(counts: Counts | undefined, { show, reason, code }: Asked): Counts['groups'] {
  return (counts?.groups ?? []).filter(
    (group) =>
      kindsOf[show].includes(group.kind) &&
      (!reason || group.reason === reason) &&
      (!code || group.error_code === code),
  )
}

const groupsOf = (letters: Letter[], { ids }: Choosing): Counts['groups'] =>
  letters
    .filter(({ id }) => ids.has(id))
    .map(({ created_at: newest_at, ...letter }) => ({ ...letter, count: 1, newest_at }))

interface HeadingProps {
  asked: Asked
  total: number | undefined
  children: ReactNode
}

function Heading({ asked, total, children }: HeadingProps) {
  const words = useWords(letterWords)
  const format = useFormat()
  const said = (count: number) => {
    if (asked.isDecided) return words.decidedCount(format.number(count))
    if (count === 0) return words.noneWaiting
    return count === 1 ? words.oneWaiting : words.waiting(format.number(count))
  }
  return (
    <div className="letters-heading">
      <h1>{words.title}</h1>
      <p role="status">{total !== undefined && said(total)}</p>
      {children}
    </div>
  )
}

function NewOnes({
  asked,
  letters,
  loadedAt,
}: {
  asked: Asked
  letters: Letter[]
  loadedAt: number
}) {
  const words = useWords(letterWords)
  const format = useFormat()
  const queries = useQueryClient()
  const count = useNewOnes(asked, letters, loadedAt)
  return (
    <div className="letters-new" role="status">
      {count > 0 && (
        <Button
          small
          icon="again"
          onClick={() => void queries.resetQueries({ queryKey: ['letters', 'list'] })}
        >
          {count === 1 ? words.oneNew : words.newOnes(format.number(count))}
        </Button>
      )}
    </div>
  )
}

function Nothing({ asked }: { asked: Asked }) {
  const words = useWords(letterWords)
  const { ask } = usePlace()
  if (Object.keys(asked.filter).length > 0) {
    const clear = {
      show: undefined,
      reason: undefined,
      code: undefined,
      since: undefined,
      q: undefined,
    }
    return (
      <Empty
        title={words.nothingFound}
        actions={<Button onClick={() => ask(clear)}>{words.clearFilters}</Button>}
      >
        {words.nothingFoundText}
      </Empty>
    )
  }
  return asked.isDecided ? (
    <Empty title={words.nothingDecided}>{words.nothingDecidedText}</Empty>
  ) : (
    <Empty title={words.nothing}>{words.nothingText}</Empty>
  )
}

interface BulkBarProps {
  choosing: Choosing
  letters: Letter[]
  total: number
  onDecide(verb: Verb): void
}

function BulkBar({ choosing, letters, total, onDecide }: BulkBarProps) {
  const words = useWords(letterWords)
  const verbs = useWords(decideWords).verbs
  const format = useFormat()
  const count = choosing.isAll ? total : choosing.ids.size
  if (count === 0) return null
  const mayBeSent = letters.some(({ id, may_arrive_twice }) => may_arrive_twice && choosing.has(id))
  return (
    <div className="letters-bulk" role="toolbar" aria-label={words.selected(format.number(count))}>
      <b className="strong" role="status">
        {(choosing.isAll ? words.allSelected : words.selected)(format.number(count))}
      </b>
      {!choosing.isAll && total > count && (
        <Button small look="ghost" onClick={choosing.chooseAll}>
          {words.selectAll(format.number(total))}
        </Button>
      )}
      <hr />
      <Button small look="primary" icon="again" onClick={() => onDecide('requeue')}>
        {verbs.requeue}…
      </Button>
      {mayBeSent && (
        <Button small onClick={() => onDecide('mark-sent')}>
          {verbs.markSent}…
        </Button>
      )}
      <Button small look="danger" onClick={() => onDecide('discard')}>
        {verbs.discard}…
      </Button>
      <IconButton icon="x" label={words.unselect} onClick={choosing.clear} />
    </div>
  )
}

interface KeysProps {
  letters: Letter[]
  /** Of the one that is open. */
  at: number
  choosing: Choosing
  goTo: { current(index: number): void }
  searchField: { current: HTMLInputElement | null }
  onRequeue(): void
  onClose(): void
}

/** The row that has the focus is where the keys work. */
function useKeys(props: KeysProps): void {
  const { letters, at, choosing, goTo, searchField, onRequeue, onClose } = props
  const words = useWords(letterWords)
  const focused = () => {
    const row = document.activeElement?.closest('.letters-row')
    return row?.querySelector<HTMLElement>('[data-letter]')?.dataset.letter
  }
  const here = () => {
    const id = focused()
    return id === undefined ? at : letters.findIndex((one) => one.id === id)
  }
  const step = (by: number) => goTo.current(Math.max(0, Math.min(letters.length - 1, here() + by)))
  const current = () => letters[here()]?.id
  const isThere = letters.length > 0
  useShortcut('j', words.keys.next, isThere ? () => step(1) : undefined)
  useShortcut('k', words.keys.previous, isThere ? () => step(-1) : undefined)
  const choose = (act: (id: string) => void) => () => {
    const id = current()
    if (id !== undefined) act(id)
  }
  useShortcut('x', words.keys.select, isThere ? choose(choosing.toggle) : undefined)
  useShortcut('shift x', words.keys.selectTo, isThere ? choose(choosing.reachTo) : undefined)
  const count = choosing.isAll ? letters.length : choosing.ids.size
  useShortcut('q', words.keys.requeue, count > 0 ? onRequeue : requeueShown)
  useShortcut('/', words.keys.search, () => searchField.current?.focus())
  useShortcut('escape', words.keys.close, at >= 0 ? onClose : undefined)
}

/** Nothing chosen: the one that is open. */
function requeueShown(): void {
  document.querySelector<HTMLElement>('.letters-inspector [data-verb="requeue"]')?.click()
}
