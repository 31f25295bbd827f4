// The messages in one column: only those near the view are drawn. It stays at the end while it is there, keeps its place
// while older ones are put above it, and says what came while somebody read further up.
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type RefObject,
  type UIEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Button } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import type { Messages } from './merge.ts'
import { Message } from './message.tsx'
import type { Older } from './messages.ts'
import { isNote, Note } from './note.tsx'
import { firstUnread, isShown, isShownUnsent, type Row, rowsOf } from './rows.ts'
import { useThread } from './shown.ts'
import { UnsentMessage } from './unsent.tsx'
import { threadWords } from './words.ts'

interface LogProps {
  held: Messages
  /** How many there were when the conversation was opened. */
  unreadAtFirst: number
  older: Older
  selectedId: string | undefined
  /** To be brought into view; older ones are loaded until it is there. */
  wantedId: string | undefined
  onFound(): void
  /** Told the earliest message that is drawn. */
  onDrawn(messageId: string | undefined): void
}

const topHeight = 104
const endThreshold = 80
/** Older ones are loaded when so few are left above. */
const ahead = 10
/** So many frames without a move: it is where it was to go. */
const settledFrames = 3

export function Log(props: LogProps) {
  const { held, unreadAtFirst, older, selectedId, wantedId, onFound, onDrawn } = props
  const words = useWords(threadWords)
  const { name, onSelect, sending } = useThread()
  const { rows, firstUnreadId } = useRows(held, unreadAtFirst)
  const log = useRef<HTMLDivElement>(null)
  const indexOf = (id: string | undefined) => rows.findIndex(({ key }) => key === id)
  const selectedIndex = indexOf(selectedId)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => log.current,
    estimateSize: () => 68,
    getItemKey: useCallback((index: number) => rows[index]?.key ?? index, [rows]),
    overscan: 8,
    paddingStart: topHeight,
    paddingEnd: 16,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endThreshold,
    // What has the focus stays, wherever one scrolls.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const first = Math.max(0, startIndex - overscan)
      const last = Math.min(count - 1, endIndex + overscan)
      const near = Array.from({ length: last - first + 1 }, (_, place) => first + place)
      if (selectedIndex < 0 || (selectedIndex >= first && selectedIndex <= last)) return near
      return selectedIndex < first ? [selectedIndex, ...near] : [...near, selectedIndex]
    },
  })
  const items = virtual.getVirtualItems()
  const { isAtEnd, onScroll, newCount } = useEnd(held, log, rows.length)

  const isPlaced = usePlaced(virtual, rows, firstUnreadId)
  useEndWhenResized(log, isPlaced && isAtEnd, virtual)
  const nearestIndex = items.find(({ index }) => index !== selectedIndex)?.index ?? 0
  useEffect(() => {
    onDrawn(rows[nearestIndex]?.key)
    if (isPlaced && nearestIndex < ahead && !older.isLoading && older.error === undefined)
      older.load()
  })

  // What one sends oneself is looked at, wherever one was.
  const unsentCount = sending.unsent.filter(isShownUnsent).length
  const unsentBefore = useRef(unsentCount)
  useEffect(() => {
    if (unsentCount > unsentBefore.current) virtual.scrollToEnd()
    unsentBefore.current = unsentCount
  }, [unsentCount, virtual])

  const wantedIndex = wantedId === undefined ? -1 : indexOf(wantedId)
  useEffect(() => {
    if (wantedId === undefined) return
    if (wantedIndex >= 0) {
      virtual.scrollToIndex(wantedIndex, { align: 'center' })
      onSelect(wantedId)
      onFound()
    } else if (held.paging.next === null || older.error !== undefined) onFound()
    else if (!older.isLoading) older.load()
  }, [wantedId, wantedIndex, held.paging.next, older, virtual, onSelect, onFound])

  const focusId = useRef<string>(undefined)
  useEffect(() => {
    if (!focusId.current || focusId.current !== selectedId) return
    const drawn = log.current?.querySelector<HTMLElement>(
      `[data-message="${CSS.escape(selectedId)}"]`,
    )
    drawn?.focus({ preventScroll: true })
    if (drawn) focusId.current = undefined
  })

  function step(by: -1 | 1): void {
    const selectable = (index: number) => {
      const message = rows[index]?.message
      return message !== undefined && !isNote(message)
    }
    let index = selectedIndex < 0 ? (by < 0 ? rows.length : -1) : selectedIndex
    do index += by
    while (index >= 0 && index < rows.length && !selectable(index))
    const found = rows[index]
    if (!found) return
    focusId.current = found.key
    virtual.scrollToIndex(index, { align: 'auto' })
    onSelect(found.key)
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const isOnMessage =
      event.target instanceof HTMLElement && event.target.matches('article, [role="log"]')
    if (event.key === 'Escape' && selectedId !== undefined) {
      onSelect(undefined)
      log.current?.focus()
    } else if (isOnMessage && event.key === 'ArrowUp') step(-1)
    else if (isOnMessage && event.key === 'ArrowDown') step(1)
    else return
    event.preventDefault()
  }

  return (
    <div className="thread">
      <div
        ref={log}
        className="thread-log"
        role="log"
        aria-live="off"
        aria-label={words.messagesWith(name)}
        aria-busy={older.isLoading}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so a keyboard must reach it.
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div className="thread-inner" style={{ height: virtual.getTotalSize() }}>
          <Top held={held} older={older} first={rows[0]} firstUnreadId={firstUnreadId} />
          {items.map(({ key, index, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="thread-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowContent row={rows[index]} isSelected={index === selectedIndex} />
            </div>
          ))}
        </div>
      </div>
      {!isAtEnd && (
        <Button
          small
          className="thread-new"
          icon="down"
          aria-label={newCount > 0 ? undefined : words.toLatest}
          onClick={() => virtual.scrollToEnd()}
        >
          {newCount > 0 && words.newBelow(newCount)}
        </Button>
      )}
    </div>
  )
}

type Virtual = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>

function useRows(
  held: Messages,
  unreadAtFirst: number,
): { rows: Row[]; firstUnreadId: string | undefined } {
  const { sending } = useThread()
  const { dayOf } = useFormat()
  // As it was when the thread was opened: that others read on, or more comes, moves no line.
  const [until] = useState(held.data[0]?.occurred_at ?? '')
  const firstUnreadId = useMemo(() => {
    const then = held.data.filter(({ occurred_at }) => occurred_at <= until)
    return firstUnread(then, unreadAtFirst)
  }, [held, until, unreadAtFirst])
  const rows = useMemo(
    () => rowsOf(held.data, sending.unsent, { dayOf, firstUnreadId }),
    [held, sending.unsent, dayOf, firstUnreadId],
  )
  return { rows, firstUnreadId }
}

/**
 * Opens where it was left: at the first unread message, otherwise at the end. Going there takes some frames, in which what
 * is drawn gets its real height; nothing is put above it meanwhile.
 */
function usePlaced(virtual: Virtual, rows: Row[], firstUnreadId: string | undefined): boolean {
  const [isPlaced, setPlaced] = useState(false)
  const isEmpty = rows.length === 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what there is at first.
  useLayoutEffect(() => {
    if (isPlaced || isEmpty) return
    const firstIndex = rows.findIndex(({ key }) => key === firstUnreadId)
    // The line above it belongs to the row before.
    if (firstIndex < 0) virtual.scrollToEnd()
    else virtual.scrollToIndex(Math.max(0, firstIndex - 1), { align: 'start' })
    let frames = 0
    let before = -1
    let next = requestAnimationFrame(function look() {
      const { scrollOffset } = virtual
      frames = scrollOffset === before ? frames + 1 : 0
      before = scrollOffset ?? -1
      if (frames >= settledFrames) setPlaced(true)
      else next = requestAnimationFrame(look)
    })
    return () => cancelAnimationFrame(next)
  }, [isEmpty])
  return isPlaced
}

/** Whether the end is in view, and how many came since it last was. */
function useEnd({ data }: Messages, log: RefObject<HTMLElement | null>, count: number) {
  const [isAtEnd, setAtEnd] = useState(true)
  const seenId = useRef<string>(undefined)
  // Also when nobody scrolled: what grew may have pushed the end out of view.
  useEffect(() => {
    if (count > 0 && log.current) setAtEnd(showsEnd(log.current))
  }, [count, log])
  if (isAtEnd) seenId.current = data[0]?.id
  const place = data.findIndex(({ id }) => id === seenId.current)
  const below = data.slice(0, Math.max(0, place))
  const newCount = below.filter((one) => one.direction === 'inbound' && isShown(one)).length
  const onScroll = ({ currentTarget }: UIEvent<HTMLElement>) => setAtEnd(showsEnd(currentTarget))
  return { isAtEnd, newCount, onScroll }
}

/** What grows below it, such as the choice of a template, hides nothing of what was just said. */
function useEndWhenResized(log: RefObject<HTMLElement | null>, isAtEnd: boolean, virtual: Virtual) {
  const wasAtEnd = useRef(isAtEnd)
  wasAtEnd.current = isAtEnd
  useEffect(() => {
    const element = log.current
    if (!element) return
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      if (element.clientHeight === height) return
      height = element.clientHeight
      if (wasAtEnd.current) virtual.scrollToEnd()
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [log, virtual])
}

const showsEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight <= endThreshold

interface TopProps {
  held: Messages
  older: Older
  first: Row | undefined
  firstUnreadId: string | undefined
}

function Top({ held, older, first, firstUnreadId }: TopProps) {
  const words = useWords(threadWords)
  const at = first?.message?.occurred_at ?? first?.unsent?.writtenAt
  return (
    <div className="thread-top" style={{ height: topHeight }}>
      {older.error !== undefined ? (
        <p className="thread-note">
          {words.olderFailed}{' '}
          <button type="button" className="thread-more" onClick={older.load}>
            {words.retry}
          </button>
        </p>
      ) : held.paging.next === null ? (
        <>
          <p className="thread-note">{words.begins}</p>
          {at && <Day at={at} />}
          {first && first.key === firstUnreadId && <UnreadLine />}
        </>
      ) : (
        <p className="thread-note" role="status">
          {older.isLoading && words.loadingOlder}
        </p>
      )}
    </div>
  )
}

function Day({ at }: { at: string }) {
  const format = useFormat()
  const now = useNow()
  return (
    <div className="thread-day">
      <span>{format.day(at, now)}</span>
    </div>
  )
}

function UnreadLine() {
  const words = useWords(threadWords)
  return (
    <div className="thread-unread">
      <span>
        <Icon name="down" size={14} />
        {words.unread}
      </span>
    </div>
  )
}

function RowContent({ row, isSelected }: { row: Row | undefined; isSelected: boolean }) {
  if (!row) return null
  const { message, unsent, nextDay, isLastRead, endsGroup, showsName } = row
  return (
    <>
      {message &&
        (isNote(message) ? (
          <Note message={message} />
        ) : (
          <Message message={message} isSelected={isSelected} showsName={showsName} />
        ))}
      {unsent && <UnsentMessage unsent={unsent} />}
      <div className={endsGroup ? 'thread-gap is-wide' : 'thread-gap'} />
      {nextDay && <Day at={nextDay} />}
      {isLastRead && <UnreadLine />}
    </>
  )
}
