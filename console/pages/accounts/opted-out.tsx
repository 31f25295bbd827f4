// Who gets nothing more from a number: listed, added by hand, lifted with a reason.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { Badge, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { useNow } from '../../parts/time.tsx'
import { usePlace } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { answersWords } from './answers-words.ts'
import { useContactName } from './contact-name.ts'
import { keys } from './data.ts'
import { AddDialog, LiftDialog } from './opt-out-dialogs.tsx'
import type { Account, Suppression } from './types.ts'

export function OptedOut({ account }: { account: Account }) {
  const words = useWords(answersWords)
  const shared = useWords(common)
  const { search, ask } = usePlace()
  const state = search.optouts === 'lifted' ? 'lifted' : 'active'
  const q = search.who ?? ''
  const number = account.phone_number_id
  const [lifting, setLifting] = useState<Suppression>()
  const [isAdding, setAdding] = useState(false)
  const list = useInfiniteQuery({
    queryKey: [...keys.optedOut(number), state, q],
    queryFn: ({ pageParam, signal }) =>
      get<List<Suppression>>(
        '/api/whatsapp/suppressions',
        { phone_number_id: number, state, q: q || undefined, after: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.next ?? undefined,
    placeholderData: (before) => before,
  })
  const rows = list.data?.pages.flatMap(({ data }) => data)
  return (
    <>
      <div className="accounts-optouts-head">
        <Segments
          label={words.show}
          chosen={state}
          choices={[
            { value: 'active', label: words.active },
            { value: 'lifted', label: words.lifted },
          ]}
          onChoose={(value) => ask({ optouts: value === 'active' ? undefined : value })}
        />
        <label className="control accounts-find">
          <Icon name="search" />
          <input
            type="search"
            value={q}
            placeholder={words.find}
            aria-label={words.find}
            maxLength={200}
            onChange={({ target }) => ask({ who: target.value || undefined })}
          />
        </label>
        <Button small icon="plus" onClick={() => setAdding(true)}>
          {words.add}
        </Button>
      </div>
      {list.error && <Trouble error={list.error} onRetry={() => void list.refetch()} />}
      {!rows && !list.error && <Skeleton lines={5} />}
      {rows?.length === 0 && <NobodyHere state={state} isSearched={q !== ''} />}
      <ul className="accounts-optouts">
        {rows?.map((row) => (
          <OptOutRow key={row.id} row={row} onLift={() => setLifting(row)} />
        ))}
      </ul>
      {list.hasNextPage && (
        <div className="accounts-pad">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {shared.loadMore}
          </Button>
        </div>
      )}
      {lifting && <LiftDialog row={lifting} onClose={() => setLifting(undefined)} />}
      {isAdding && <AddDialog phoneNumberId={number} onClose={() => setAdding(false)} />}
    </>
  )
}

function NobodyHere({ state, isSearched }: { state: 'active' | 'lifted'; isSearched: boolean }) {
  const words = useWords(answersWords)
  if (isSearched) return <Empty title={words.noneFound} />
  return state === 'active' ? (
    <Empty title={words.noneActive}>{words.noneActiveText}</Empty>
  ) : (
    <Empty title={words.noneLifted}>{words.noneLiftedText}</Empty>
  )
}

function OptOutRow({ row, onLift }: { row: Suppression; onLift(): void }) {
  const words = useWords(answersWords)
  const format = useFormat()
  const now = useNow()
  const who = useContactName(row)
  const { lifted_at: liftedAt, note, lift_note: liftNote } = row
  return (
    <li>
      <div className="accounts-check-words">
        <div className="row wrap">
          <b className="strong">{who}</b>
          {row.contact.name && row.contact.wa_id && (
            <span className="xs muted num">+{row.contact.wa_id}</span>
          )}
          <Badge tone={row.state === 'active' ? 'warn' : 'plain'}>{words.scopes[row.scope]}</Badge>
        </div>
        <p className="xs muted" title={format.exact(row.since)}>
          {words.reasons[row.reason]}, {words.since(format.short(row.since, now))}
          {note && ` · “${note}”`}
        </p>
        {liftedAt && (
          <p className="xs muted" title={format.exact(liftedAt)}>
            {words.liftedAt(format.short(liftedAt, now))}
            {row.lifted_by === 'contact' ? ` · ${words.byContact}` : liftNote && ` · “${liftNote}”`}
          </p>
        )}
      </div>
      {row.state === 'active' && (
        <Button small onClick={onLift}>
          {words.lift}
        </Button>
      )}
    </li>
  )
}
