// Who did what, and whether the record of it is as it was written.
import { Button, IconButton } from '../../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { useAudit, useVerification } from './audit.ts'
import { AuditFilters, noWishes, wishesIn } from './filters.tsx'
import { AuditTable } from './table.tsx'
import { VerificationNote } from './verification.tsx'
import { auditWords } from './words.ts'
import './audit.css'

export function Page() {
  const words = useWords(auditWords)
  const shared = useWords(common)
  const tenant = useTenant()
  const { search } = usePlace()
  const list = useAudit(wishesIn(search))
  const verification = useVerification()
  const isWalking = verification.state.kind === 'walking'
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{words.title}</h1>
          <p>{tenant.id === null ? words.textAll : words.text(tenant.name)}</p>
        </div>
        <div className="page-actions">
          <IconButton
            icon="again"
            look="plain"
            small={false}
            label={shared.loadAgain}
            onClick={() => void list.refetch()}
          />
          <Button icon="shield" onClick={isWalking ? verification.stop : verification.start}>
            {isWalking ? words.stop : words.verify}
          </Button>
        </div>
      </div>
      <VerificationNote state={verification.state} onRetry={verification.start} />
      <section className="card" aria-label={words.title}>
        <AuditFilters />
        <Acts list={list} />
      </section>
    </div>
  )
}

function Acts({ list }: { list: ReturnType<typeof useAudit> }) {
  const words = useWords(auditWords)
  const shared = useWords(common)
  const { search, ask } = usePlace()
  const acts = list.data?.pages.flatMap(({ data }) => data)
  if (list.error && !acts) {
    return <Trouble error={list.error} onRetry={() => void list.refetch()} />
  }
  if (!acts) return <Skeleton lines={8} />
  const isAsked = Object.values(wishesIn(search)).some((wish) => wish !== undefined)
  if (acts.length === 0 && isAsked) {
    return (
      <Empty
        title={words.noneFound}
        actions={<Button onClick={() => ask(noWishes)}>{words.clear}</Button>}
      >
        {words.noneFoundText}
      </Empty>
    )
  }
  if (acts.length === 0) return <Empty title={words.none}>{words.noneText}</Empty>
  return (
    <>
      <AuditTable acts={acts} />
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
