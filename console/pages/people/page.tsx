// Who signs in to the console: an admin's colleagues; for operators those of a tenant, or everybody.
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Finder } from '../../parts/finder.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { Invite } from './invite.tsx'
import { usePeople } from './people.ts'
import { PeopleTable } from './people-table.tsx'
import { peopleWords } from './words.ts'
import './people.css'

export function Page() {
  const words = useWords(peopleWords)
  const tenant = useTenant()
  const { search, ask } = usePlace()
  const people = usePeople(search.q ?? '')
  const [isInviting, setInviting] = useState(false)
  const invite = (
    <Button look="primary" icon="plus" onClick={() => setInviting(true)}>
      {words.invite}
    </Button>
  )
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{words.title}</h1>
          <p>{tenant.id === null ? words.textAll : words.text(tenant.name)}</p>
        </div>
        <div className="page-actions">{invite}</div>
      </div>
      <section className="card" aria-label={words.title}>
        <div className="card-head">
          <Finder
            label={words.find}
            value={search.q ?? ''}
            onFind={(q) => ask({ q: q || undefined })}
          />
        </div>
        <Content people={people} invite={invite} />
      </section>
      {isInviting && <Invite people={people} onClose={() => setInviting(false)} />}
    </div>
  )
}

function Content({
  people,
  invite,
}: {
  people: ReturnType<typeof usePeople>
  invite: React.ReactNode
}) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const { search, ask } = usePlace()
  const { list } = people
  if (list.error && !people.people) {
    return <Trouble error={list.error} onRetry={() => void list.refetch()} />
  }
  if (!people.people) return <Skeleton lines={6} />
  if (people.people.length === 0 && search.q) {
    return (
      <Empty
        title={words.nobodyFound}
        actions={<Button onClick={() => ask({ q: undefined })}>{words.everybody}</Button>}
      >
        {words.nobodyFoundText}
      </Empty>
    )
  }
  if (people.people.length === 0) {
    return (
      <Empty title={words.nobody} actions={invite}>
        {words.nobodyText}
      </Empty>
    )
  }
  return (
    <>
      <PeopleTable people={people} shown={people.people} />
      {list.hasNextPage && (
        <div className="more-row">
          <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {shared.loadMore}
          </Button>
        </div>
      )}
    </>
  )
}
