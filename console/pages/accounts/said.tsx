// What Meta said about an account lately: a sentence each, and its own words one click deeper.
import { useInfiniteQuery } from '@tanstack/react-query'
import { get } from '../../api/call.ts'
import type { List } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { keys } from './data.ts'
import { saidWords } from './said-words.ts'
import type { Account, AccountEvent } from './types.ts'

export function Said({ account }: { account: Account }) {
  const words = useWords(saidWords)
  const shared = useWords(common)
  const list = useInfiniteQuery({
    queryKey: keys.said(account.id),
    queryFn: ({ pageParam, signal }) =>
      get<List<AccountEvent>>(
        '/api/whatsapp/account-events',
        { account_id: account.id, after: pageParam },
        signal,
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.next ?? undefined,
  })
  if (list.error) return <Trouble error={list.error} onRetry={() => void list.refetch()} />
  const rows = list.data?.pages.flatMap(({ data }) => data)
  if (!rows) return <Skeleton lines={5} />
  if (rows.length === 0) return <Empty title={words.nothing}>{words.nothingText}</Empty>
  return (
    <>
      <ol className="accounts-said">
        {rows.map((row) => (
          <SaidRow key={row.id} row={row} />
        ))}
      </ol>
      {list.hasNextPage && (
        <div className="accounts-pad">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {shared.loadMore}
          </Button>
        </div>
      )}
    </>
  )
}

function SaidRow({ row }: { row: AccountEvent }) {
  const words = useWords(saidWords)
  return (
    <li>
      <div className="row">
        <p className="accounts-check-words">{sentenceOf(row, words)}</p>
        <span className="xs muted">
          <Time at={row.occurred_at} />
        </span>
      </div>
      <details className="xs">
        <summary>{words.details}</summary>
        <pre className="mono">{JSON.stringify(row.content, null, 2)}</pre>
      </details>
    </li>
  )
}

type Words = (typeof saidWords)['en']

export function sentenceOf({ field, event, content }: AccountEvent, words: Words): string {
  const other = words.other(field, event ?? '')
  const known: Record<string, string | undefined> = { ...words.quality, ...words.account }
  switch (field) {
    case 'phone_number_quality_update':
    case 'account_update':
      return (event && known[event]) || other
    case 'account_review_update':
      return words.review(textIn(content.decision) || (event ?? ''))
    case 'phone_number_name_update':
      return words.name(
        textIn(content.decision) || (event ?? ''),
        textIn(content.requested_verified_name),
      )
    case 'business_capability_update':
      return words.capability
    case 'account_alerts':
      return words.alert(alertIn(content) || (event ?? ''))
    case 'security':
      return words.security
    default:
      return other
  }
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '')

function alertIn(content: Record<string, unknown>): string {
  const info = (content.alert_info ?? content) as Record<string, unknown>
  return textIn(info.alert_description) || textIn(info.alert_type)
}
