// The overview: how it goes in a sentence, then figures, then what they were before, and what to do about it.
import { useEffect } from 'react'
import { Segments } from '../../parts/basics.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { Alerts } from './alerts.tsx'
import { Charts } from './charts.tsx'
import { figureWords } from './figure-words.ts'
import { Kpis } from './kpis.tsx'
import { useHealth, useHistory } from './queries.ts'
import { tell } from './sentence.ts'
import { sentenceWords } from './sentence-words.ts'
import { Circuits, MetaCard, Reconnects } from './side.tsx'
import { TenantTable } from './tenant-table.tsx'
import type { Health, Range } from './types.ts'
import { overviewWords } from './words.ts'
import './overview.css'

const hourMs = 3_600_000
const ranges: Record<Range, number> = {
  '1h': hourMs,
  '6h': 6 * hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
}
const isRange = (text: string | undefined): text is Range => text !== undefined && text in ranges

export function Page() {
  const { search } = usePlace()
  const range = isRange(search.range) ? search.range : '1h'
  const { data, error, refetch, dataUpdatedAt } = useHealth()
  if (!data) {
    return (
      <div className="page">
        {error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </div>
    )
  }
  return (
    <div className={`page overview ${error ? 'is-stale' : ''}`}>
      {error && <Unreachable since={dataUpdatedAt} />}
      <Head health={data} range={range} updatedAt={dataUpdatedAt} />
      {data.has_received ? <Whole health={data} range={range} /> : <Nothing health={data} />}
    </div>
  )
}

function useNameOf(health: Health): (tenantId: string) => string | undefined {
  const { id } = useTenant()
  const { data: tenants = [], refetch } = useTenants()
  // Somebody new: names are asked for seldom.
  const isNew = health.tenants !== undefined && health.tenants.length !== tenants.length
  useEffect(() => {
    if (isNew) void refetch()
  }, [isNew, refetch])
  if (id !== null) return () => undefined
  const names = new Map(tenants.map((tenant) => [tenant.id, tenant.name]))
  return (tenantId) => names.get(tenantId) ?? tenantId
}

function Whole({ health, range }: { health: Health; range: Range }) {
  const nameOf = useNameOf(health)
  const { data: history } = useHistory(range)
  return (
    <>
      <Kpis health={health} limits={history?.limits} nameOf={nameOf} />
      <div className="overview-columns">
        <div className="overview-main">
          <Charts range={range} />
          {health.tenants && <TenantTable health={health} range={range} />}
        </div>
        <aside className="overview-side" aria-label={useWords(overviewWords).attention}>
          <MetaCard health={health} />
          <Circuits health={health} nameOf={nameOf} />
          <Reconnects health={health} nameOf={nameOf} />
          <Alerts health={health} nameOf={nameOf} />
        </aside>
      </div>
    </>
  )
}

const headIcons = { ok: 'check', warn: 'warn', bad: 'alert' } as const

function Head({ health, range, updatedAt }: { health: Health; range: Range; updatedAt: number }) {
  const words = useWords(overviewWords)
  const { range: period } = useWords(figureWords)
  const said = useWords(sentenceWords)
  const format = useFormat()
  const nameOf = useNameOf(health)
  const { ask } = usePlace()
  const told = tell(health, { words: said, format, nameOf })
  return (
    <header className="page-head">
      <span className={`overview-tone ${told.tone}`}>
        <Icon name={headIcons[told.tone]} size={20} />
      </span>
      {/* Said politely when it changes. */}
      <div role="status" className="overview-told">
        <h1>{told.title}</h1>
        <p>{told.text}</p>
      </div>
      <div className="page-actions overview-actions">
        <span className="xs muted">
          {words.updated} <Time at={updatedAt} />
        </span>
        <Segments
          label={period}
          chosen={range}
          choices={(Object.keys(ranges) as Range[]).map((value) => ({
            value,
            label:
              value === '24h'
                ? format.length(ranges['1h']).replace('1', '24')
                : format.length(ranges[value]),
          }))}
          onChoose={(value) => ask({ range: value === '1h' ? undefined : value })}
        />
      </div>
    </header>
  )
}

function Unreachable({ since }: { since: number }) {
  const words = useWords(overviewWords)
  const format = useFormat()
  return (
    <div className="banner bad" role="alert">
      <Icon name="alert" />
      <p>
        <b className="strong">{words.unreachable}</b>{' '}
        {words.unreachableText(format.timeWithSeconds(since))}
      </p>
    </div>
  )
}

/** Nothing has come in yet: how to make something come in. */
function Nothing({ health }: { health: Health }) {
  const { empty } = useWords(overviewWords)
  const { numbers_count, tenants } = health
  const [text, to, action] =
    tenants?.length === 0
      ? [empty.tenant, '/tenants', empty.tenants]
      : numbers_count === 0
        ? [empty.connect, '/accounts', empty.connectAction]
        : [empty.write, '/accounts', empty.accounts]
  return (
    <div className="card">
      <Empty
        title={empty.title}
        actions={
          <ViewLink className="btn primary" to={to}>
            {action}
          </ViewLink>
        }
      >
        {text}
      </Empty>
    </div>
  )
}
