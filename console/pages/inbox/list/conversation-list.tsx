// Conversations, the latest first. However many there are, only those in sight are in the page.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Conversation } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Empty, Trouble } from '../../../parts/states.tsx'
import { usePlace } from '../../../shell/place.tsx'
import { useShortcut } from '../../../shell/shortcuts.tsx'
import { common } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { inboxWords } from '../words.ts'
import { type Filter, filterOf, searchOf } from './filter.ts'
import { Row, rowHeight } from './row.tsx'
import { ListHead, ListTools } from './tools.tsx'
import { useConversations } from './use-conversations.ts'

/** So near the top that a row more above disturbs nobody. */
const atTopPx = 8
const loadAheadRows = 20

export function ConversationList({ chosenId }: { chosenId: string | undefined }) {
  const words = useWords(inboxWords)
  const { ask } = usePlace()
  const filter = useFilter()
  const pane = useRef<HTMLDivElement>(null)
  const { isReading, watch } = useReading()
  const { query, rows, hasMore, more, held } = useConversations(filter, isReading)
  const change = (changes: Partial<Filter>) => ask(searchOf({ ...filter, ...changes }))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins at its top.
  useEffect(() => void pane.current?.scrollTo(0, 0), [filter])
  return (
    <section className="inbox-pane inbox-list" aria-label={words.conversations}>
      <ListHead filter={filter} onFilter={change} />
      <ListTools filter={filter} onFilter={change} />
      <div className="inbox-rows-holder">
        {(held.arrivals > 0 || held.isBehind) && (
          <Button
            small
            icon="back"
            className="inbox-news"
            onClick={() => {
              held.settle()
              pane.current?.scrollTo(0, 0)
            }}
          >
            {held.arrivals > 0 ? words.news(held.arrivals) : words.newsSince}
          </Button>
        )}
        <span className="sr" role="status">
          {held.arrivals > 0 && words.news(held.arrivals)}
        </span>
        <div className="inbox-rows" ref={pane} {...watch}>
          {query.isPending ? (
            <RowSkeletons />
          ) : query.isError ? (
            <Trouble
              title={words.listTrouble}
              error={query.error}
              onRetry={() => void query.refetch()}
            />
          ) : rows.length === 0 ? (
            <Nothing filter={filter} onFilter={change} />
          ) : (
            <Rows
              pane={pane}
              rows={rows}
              chosenId={chosenId}
              filter={filter}
              hasMore={hasMore}
              onMore={more.load}
            />
          )}
          {more.error !== undefined && (
            <Trouble
              title={words.listTrouble}
              error={more.error}
              onRetry={() => void more.load()}
            />
          )}
        </div>
      </div>
    </section>
  )
}

/** What the address asks for; the same object as long as it asks for the same. */
function useFilter(): Filter {
  const { search } = usePlace()
  const { show, q, number, unread } = search
  return useMemo(() => filterOf({ show, q, number, unread }), [show, q, number, unread])
}

/** Whether somebody looks at the rows: scrolled down, with the mouse over them, or with the keyboard in them. */
function useReading() {
  const [isScrolled, setScrolled] = useState(false)
  const [isOver, setOver] = useState(false)
  const [isWithin, setWithin] = useState(false)
  return {
    isReading: isScrolled || isOver || isWithin,
    watch: {
      onScroll: (event: { currentTarget: HTMLElement }) =>
        setScrolled(event.currentTarget.scrollTop > atTopPx),
      onPointerEnter: (event: { pointerType: string }) => setOver(event.pointerType === 'mouse'),
      onPointerLeave: () => setOver(false),
      onFocus: (event: { target: HTMLElement }) =>
        setWithin(event.target.matches(':focus-visible')),
      onBlur: () => setWithin(false),
    },
  }
}

interface RowsProps {
  pane: React.RefObject<HTMLDivElement | null>
  rows: Conversation[]
  chosenId: string | undefined
  filter: Filter
  hasMore: boolean
  onMore(): Promise<void>
}

function Rows({ pane, rows, chosenId, filter, hasMore, onMore }: RowsProps) {
  const words = useWords(inboxWords)
  const general = useWords(common)
  const search = useMemo(() => searchOf(filter), [filter])
  const [currentId, setCurrentId] = useState(chosenId)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => pane.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  })
  const shown = virtual.getVirtualItems()
  const lastShown = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lastShown >= rows.length - loadAheadRows) void onMore()
  }, [hasMore, lastShown, rows.length, onMore])
  useEffect(() => setCurrentId(chosenId), [chosenId])

  const at = rows.findIndex(({ id }) => id === currentId)
  const isInSight = shown.some(({ index }) => index === at)
  const goTo = (index: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, index))]
    if (!next) return
    virtual.scrollToIndex(rows.indexOf(next), { align: 'auto' })
    setCurrentId(next.id)
    focusRow(pane.current, next.id)
  }
  const onFocus = useCallback((id: string) => setCurrentId(id), [])
  useShortcut('j', words.keys.next, () => goTo(at + 1))
  useShortcut('k', words.keys.previous, () => goTo(at < 0 ? 0 : at - 1))
  return (
    <>
      <ul
        className="inbox-row-list"
        aria-label={words.conversations}
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={(event) => {
          const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[
            event.key
          ]
          if (to === undefined) return
          event.preventDefault()
          goTo(to)
        }}
      >
        {shown.map(({ index, start }) => {
          const conversation = rows[index]
          return (
            conversation && (
              <li
                key={conversation.id}
                aria-posinset={index + 1}
                aria-setsize={hasMore ? -1 : rows.length}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Row
                  conversation={conversation}
                  isChosen={conversation.id === chosenId}
                  isCurrent={isInSight ? index === at : index === shown[0]?.index}
                  search={search}
                  onFocus={onFocus}
                />
              </li>
            )
          )
        })}
      </ul>
      {hasMore && (
        <div className="inbox-more" role="status" aria-label={general.loading}>
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      )}
    </>
  )
}

/** As soon as the row is there: those out of sight are drawn first. */
function focusRow(pane: HTMLElement | null, id: string, tries = 10): void {
  const row = pane?.querySelector<HTMLElement>(`[data-id="${id}"]`)
  if (row) row.focus({ preventScroll: true })
  else if (tries > 0) requestAnimationFrame(() => focusRow(pane, id, tries - 1))
}

function RowSkeletons() {
  const words = useWords(common)
  return (
    <div role="status" aria-label={words.loading}>
      {Array.from({ length: 8 }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <div key={index} className="inbox-row-skeleton">
          <span className="skeleton round" />
          <span className="skeleton" />
          <span className="skeleton" />
        </div>
      ))}
    </div>
  )
}

function Nothing({
  filter,
  onFilter,
}: {
  filter: Filter
  onFilter(changes: Partial<Filter>): void
}) {
  const words = useWords(inboxWords)
  const { empty } = words
  const { show, q, number, isUnread } = filter
  if (q.trim() !== '') {
    return (
      <Empty
        title={empty.found}
        actions={
          show !== 'closed' && (
            <Button onClick={() => onFilter({ show: 'closed' })}>
              <Icon name="search" /> {words.searchClosed}
            </Button>
          )
        }
      >
        {empty.foundText}
      </Empty>
    )
  }
  const clear = (
    <Button onClick={() => onFilter({ number: undefined, isUnread: false })}>
      {words.clearFilter}
    </Button>
  )
  if (isUnread) {
    return (
      <Empty title={empty.unread} actions={clear}>
        {empty.unreadText}
      </Empty>
    )
  }
  const showAll = show !== 'open' && (
    <Button onClick={() => onFilter({ show: 'open' })}>{words.showAll}</Button>
  )
  return (
    <Empty title={empty[show]} actions={number === undefined ? showAll : clear}>
      {empty[`${show}Text`]}
    </Empty>
  )
}
