// The way of one message from the webhook to the ticks, found by whatever somebody has of it.
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useShortcut } from '../../shell/shortcuts.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { isType, typeWords } from '../dead-letters/type-words.ts'
import { TraceOf } from './trace.tsx'
import { atMost, type Traced, useHits } from './traces.ts'
import { StatusBadge, whoOf } from './who.tsx'
import { traceWords } from './words.ts'
import './trace.css'

export function Page() {
  const words = useWords(traceWords)
  const { search } = usePlace()
  const q = search.q ?? ''
  return (
    <div className="page trace">
      <div className="page-head">
        <div>
          <h1>{words.title}</h1>
          <p>{words.lead}</p>
        </div>
      </div>
      <SearchForm key={q} q={q} />
      {q === '' ? <Empty title={words.start}>{words.startText}</Empty> : <Found q={q} />}
    </div>
  )
}

function SearchForm({ q }: { q: string }) {
  const words = useWords(traceWords)
  const { ask } = usePlace()
  const [text, setText] = useState(q)
  const field = useRef<HTMLInputElement>(null)
  useShortcut('/', words.find, () => field.current?.focus())
  useEffect(() => {
    if (q === '') field.current?.focus()
  }, [q])
  const find = (event: FormEvent) => {
    event.preventDefault()
    ask({ q: text.trim() || undefined, message: undefined }, { replace: false })
  }
  return (
    <form className="trace-search" role="search" onSubmit={find}>
      <label className="control">
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          name="trace"
          aria-label={words.search}
          placeholder={words.search}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <Button look="primary" type="submit">
        {words.find}
      </Button>
    </form>
  )
}

function Found({ q }: { q: string }) {
  const words = useWords(traceWords)
  const { search } = usePlace()
  const { data, error, refetch } = useHits(q)
  if (error) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={6} />
  const [first, second] = data.data
  const chosen = search.message ?? (first && !second ? first.message_id : undefined)
  if (chosen) {
    return (
      <>
        {second && (
          <ViewLink className="trace-back" to="/trace" search={{ q }}>
            <Icon name="back" size={14} /> {words.others}
          </ViewLink>
        )}
        <TraceOf key={chosen} messageId={chosen} />
      </>
    )
  }
  if (first) return <Hits q={q} hits={data.data} hasMore={data.paging.next !== null} />
  if (q.startsWith('dlq_')) {
    return (
      <Empty
        title={words.isLetter}
        actions={<ViewLink to={`/dead-letters/${q}`}>{words.seeLetter}</ViewLink>}
      />
    )
  }
  return <Empty title={words.nothing}>{words.nothingText}</Empty>
}

function Hits({ q, hits, hasMore }: { q: string; hits: Traced[]; hasMore: boolean }) {
  const words = useWords(traceWords)
  const types = useWords(typeWords)
  const format = useFormat()
  const said = hasMore
    ? words.many(format.number(atMost))
    : words.several(format.number(hits.length))
  return (
    <section className="card">
      <p className="card-head" role="status">
        {said}
      </p>
      <ul className="trace-hits">
        {hits.map((hit) => (
          <li key={hit.message_id}>
            <ViewLink to="/trace" search={{ q, message: hit.message_id }}>
              <Icon name={hit.direction === 'inbound' ? 'reply' : 'send'} />
              <span className="trace-who">
                <b className="cut">{whoOf(hit, words)}</b>
                <small className="mono cut">{hit.message_id}</small>
              </span>
              <span className="soft">{isType(hit.type) ? types[hit.type] : hit.type}</span>
              <StatusBadge status={hit.status} />
              <span className="muted trace-when">
                {format.dayOf(hit.created_at) !== format.dayOf(Date.now()) && (
                  <Time at={hit.created_at} as="short" />
                )}{' '}
                <Time at={hit.created_at} as="seconds" />
              </span>
            </ViewLink>
          </li>
        ))}
      </ul>
    </section>
  )
}
