// The letters as rows: virtual, so that thousands cost as much as thirty, and each a link of its own.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef } from 'react'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { useWords } from '../../words/language.tsx'
import type { Choosing } from './choosing.ts'
import type { Asked, Letter } from './letters.ts'
import { reasonWords } from './reason-words.ts'
import { codeOf, Reason } from './reasons.tsx'
import { letterWords } from './words.ts'

const rowHeight = 49
const headHeight = 33

interface TableProps {
  letters: Letter[]
  total: number | undefined
  asked: Asked
  choosing: Choosing
  openId: string | undefined
  hasMore: boolean
  onMore(): void
  /** Moves the focus to a row, wherever it is. */
  goTo: RefObject<(index: number) => void>
}

export function LetterTable(props: TableProps) {
  const { letters, asked, choosing, openId, hasMore, onMore, goTo } = props
  const words = useWords(letterWords)
  const { id: tenantId } = useTenant()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: letters.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= letters.length - 20) onMore()
  }, [hasMore, last, letters.length, onMore])
  goTo.current = (index) => {
    rows.scrollToIndex(index)
    const id = letters[index]?.id
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.getElementById(`letter-${id}`)?.focus()),
    )
  }
  const open = letters.filter(({ state }) => state === 'open')
  const isEvery = open.length > 0 && open.every(({ id }) => choosing.has(id))
  const isSome = choosing.ids.size > 0
  const looks = [tenantId === null ? 'has-tenant' : '', asked.isDecided ? 'is-decided' : '']
  return (
    <div className="letters-scroll" ref={scroller}>
      <table
        className={`letters-table ${looks.join(' ')}`}
        aria-label={words.title}
        aria-rowcount={props.total ?? -1}
      >
        <thead>
          <tr className="letters-row letters-head" aria-rowindex={1}>
            {!asked.isDecided && (
              <th scope="col">
                <input
                  type="checkbox"
                  className="check"
                  aria-label={words.selectShown}
                  checked={isEvery}
                  ref={(box) => {
                    if (box) box.indeterminate = isSome && !isEvery
                  }}
                  onChange={(event) => choosing.chooseShown(event.target.checked)}
                />
              </th>
            )}
            <th scope="col">{words.columns.why}</th>
            <th scope="col" className="letters-act">
              {asked.isDecided ? words.columns.state : words.columns.act}
            </th>
            <th scope="col">{words.columns.to}</th>
            {tenantId === null && (
              <th scope="col" className="letters-tenant">
                {words.columns.tenant}
              </th>
            )}
            <th scope="col" className="letters-age">
              {words.columns.age}
            </th>
          </tr>
        </thead>
        <tbody style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const letter = letters[index]
            return letter ? (
              <Row
                key={letter.id}
                letter={letter}
                index={index}
                top={start - headHeight}
                isOpen={letter.id === openId}
                hasChoice={!asked.isDecided}
                choosing={choosing}
              />
            ) : null
          })}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  letter: Letter
  index: number
  top: number
  isOpen: boolean
  hasChoice: boolean
  choosing: Choosing
}

function Row({ letter, index, top, isOpen, hasChoice, choosing }: RowProps) {
  const words = useWords(letterWords)
  const reasons = useWords(reasonWords)
  const { search } = usePlace()
  const { id: tenantId } = useTenant()
  const { data: tenants } = useTenants()
  const { id, state, contact, kind } = letter
  const who = contact?.name ?? (contact?.wa_id ? `+${contact.wa_id}` : undefined)
  const isDecided = state !== 'open'
  return (
    <tr
      aria-rowindex={index + 2}
      className={`letters-row ${isOpen ? 'is-open' : ''} ${isDecided && hasChoice ? 'is-done' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {hasChoice && (
        <td>
          <input
            type="checkbox"
            className="check"
            aria-label={`${words.select}: ${who ?? reasons[letter.reason].title}`}
            checked={choosing.has(id)}
            disabled={isDecided}
            onChange={() => undefined}
            onClick={(event) => (event.shiftKey ? choosing.reachTo(id) : choosing.toggle(id))}
          />
        </td>
      )}
      <td className="letters-two">
        <ViewLink
          id={`letter-${id}`}
          to={`/dead-letters/${id}`}
          search={{ ...search, tab: undefined }}
          className="letters-open"
          aria-current={isOpen ? 'true' : undefined}
          data-letter={id}
        >
          <Reason letter={letter} />
        </ViewLink>
        <small className="mono">{codeOf(letter)}</small>
      </td>
      <td className="letters-act cut">
        {isDecided ? words.states[state] : reasons[letter.reason].act}
      </td>
      <td className="letters-two">
        <span className="cut">{who ?? letter.phone_number_id ?? words.nobody}</span>
        <small>{words.kinds[kind]}</small>
      </td>
      {tenantId === null && (
        <td className="letters-tenant cut">
          {tenants?.find((one) => one.id === letter.tenant_id)?.name ?? words.noTenant}
        </td>
      )}
      <td className="letters-age">
        <Time at={letter.created_at} as="age" />
      </td>
    </tr>
  )
}
