// All numbers in a table, the worst first. On a phone each row becomes a card.
import { useRef } from 'react'
import { Badge, Segments, State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty } from '../../parts/states.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useShortcut } from '../../shell/shortcuts.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import {
  isFound,
  limitOf,
  nameOf,
  needsLook,
  qualityOf,
  speedOf,
  stateOf,
  toneOf,
} from './standing.ts'
import type { Account } from './types.ts'
import { accountWords } from './words.ts'

export function AccountList({
  accounts,
  chosenId,
}: {
  accounts: Account[]
  chosenId: string | undefined
}) {
  const words = useWords(accountWords)
  const format = useFormat()
  const { search, ask, go } = usePlace()
  const { show = 'all', q = '' } = search
  const finder = useRef<HTMLInputElement>(null)
  const needing = accounts.filter(needsLook)
  const shown = (show === 'needs' ? needing : accounts).filter((one) => q === '' || isFound(one, q))
  const step = (by: 1 | -1) => () => {
    const at = shown.findIndex(({ id }) => id === chosenId)
    const next = shown[at < 0 ? 0 : at + by]
    if (next) go(`/accounts/${next.id}`, search)
  }
  useShortcut('j', words.next, step(1))
  useShortcut('k', words.previous, step(-1))
  useShortcut('/', words.findOne, () => finder.current?.focus())
  return (
    <section className="card accounts-list" aria-label={words.numbers}>
      <div className="card-head accounts-list-head">
        <Segments
          label={words.show}
          chosen={show === 'needs' ? 'needs' : 'all'}
          choices={[
            { value: 'all', label: words.all, count: format.number(accounts.length) },
            { value: 'needs', label: words.needs, count: format.number(needing.length) },
          ]}
          onChoose={(value) => ask({ show: value === 'all' ? undefined : value })}
        />
        <label className="control accounts-find">
          <Icon name="search" />
          <input
            ref={finder}
            type="search"
            value={q}
            placeholder={words.find}
            aria-label={words.find}
            onChange={({ target }) => ask({ q: target.value || undefined })}
          />
        </label>
      </div>
      {shown.length > 0 ? (
        <AccountTable accounts={shown} chosenId={chosenId} />
      ) : (
        <Empty
          title={q ? words.nothingFound : words.nothingNeeds}
          actions={
            <Button onClick={() => ask({ q: undefined, show: undefined })}>{words.showAll}</Button>
          }
        >
          {q ? words.nothingFoundText : words.nothingNeedsText}
        </Empty>
      )}
    </section>
  )
}

function AccountTable({
  accounts,
  chosenId,
}: {
  accounts: Account[]
  chosenId: string | undefined
}) {
  const words = useWords(accountWords)
  return (
    <table className="table accounts-table">
      <thead>
        <tr>
          <th scope="col">{words.number}</th>
          <th scope="col">{words.state}</th>
          <th scope="col">{words.quality}</th>
          <th scope="col" className="figure">
            {words.limit}
          </th>
          <th scope="col" className="figure">
            {words.waiting}
          </th>
          <th scope="col" className="figure">
            {words.lastInbound}
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} isChosen={account.id === chosenId} />
        ))}
      </tbody>
    </table>
  )
}

function AccountRow({ account, isChosen }: { account: Account; isChosen: boolean }) {
  const words = useWords(accountWords)
  const format = useFormat()
  const { go, search } = usePlace()
  const { show, q, tab } = search
  const place = `/accounts/${account.id}`
  const quality = qualityOf(account)
  const limit = limitOf(account)
  return (
    // The number in it is a link; the rest is a bigger target for it.
    <tr
      className={`opens ${isChosen ? 'accounts-chosen' : ''}`}
      onClick={() => go(place, { show, q, tab })}
    >
      <td className="accounts-number">
        <ViewLink
          to={place}
          search={{ show, q, tab }}
          className="num"
          aria-current={isChosen || undefined}
          onClick={(event) => event.stopPropagation()}
        >
          {account.display_phone_number}
        </ViewLink>
        <span className="xs muted cut">{nameOf(account)}</span>
      </td>
      <td className="accounts-state">
        <AccountStateWords account={account} />
      </td>
      <td data-label={words.quality}>
        {quality === undefined ? (
          <span className="muted">{words.unknown}</span>
        ) : quality === 'high' ? (
          words.qualities.high
        ) : (
          <Badge tone={quality === 'low' ? 'bad' : 'warn'}>{words.qualities[quality]}</Badge>
        )}
      </td>
      <td className="figure" data-label={words.limit}>
        {limit === undefined ? (
          <span className="muted">{words.unknown}</span>
        ) : limit === Number.POSITIVE_INFINITY ? (
          words.unlimited
        ) : (
          format.number(limit)
        )}
        <span className="xs muted accounts-second">
          {words.perSecond(format.number(speedOf(account)))}
        </span>
      </td>
      <td className="figure" data-label={words.waiting}>
        {format.number(account.waiting_count)}
      </td>
      <td className="figure muted" data-label={words.lastInbound}>
        {account.last_inbound_at ? <Time at={account.last_inbound_at} /> : words.never}
      </td>
    </tr>
  )
}

/** The state in words, and when it ends or is tried again. */
export function AccountStateWords({ account }: { account: Account }) {
  const words = useWords(accountWords)
  const format = useFormat()
  const now = useNow()
  const state = stateOf(account)
  const { hold, circuit, replies_only_until: repliesOnly, token_expires_at: expires } = account
  const until = state === 'restricted' ? hold?.until : state === 'repliesOnly' ? repliesOnly : null
  // A restriction without an end is told with one that nobody lives to see.
  const isEndless = until?.startsWith('9999') ?? true
  return (
    <>
      <State tone={toneOf(state)}>{words.states[state]}</State>
      {until && !isEndless && (
        <span className="xs muted accounts-second" title={format.exact(until)}>
          {words.untilTime(format.short(until, now))}
        </span>
      )}
      {state === 'silent' && circuit && (
        <span className="xs muted accounts-second" title={format.exact(circuit.trial_at)}>
          {words.nextTry(format.until(circuit.trial_at, now))}
        </span>
      )}
      {account.token_expires_soon && expires && state !== 'reconnect' && (
        <span className="xs warn accounts-second" title={format.exact(expires)}>
          {words.expires(format.until(expires, now))}
        </span>
      )}
    </>
  )
}
