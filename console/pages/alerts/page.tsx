// Alerts: what is wrong now and what to do about it, what lately was, and where that is told.
import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { ViewLink } from '../../shell/place.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { Channels } from './channels.tsx'
import { type Alert, useAlerts } from './data.ts'
import { type Rule, rulePlaces, ruleWords } from './rules.ts'
import { alertWords } from './words.ts'
import './alerts.css'

export function Page() {
  const words = useWords(alertWords)
  const { number } = useFormat()
  const { data, error, refetch } = useAlerts('firing')
  const firing = data?.pages.flatMap((page) => page.data)
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>{words.title}</h1>
          {firing && (
            <p role="status">
              {firing.length === 0 ? words.fine : words.wrong(firing.length, number(firing.length))}
            </p>
          )}
        </div>
      </div>
      {!firing && !error && <Skeleton lines={4} />}
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {firing && firing.length > 0 && (
        <section className="card" aria-label={words.now}>
          <ul>
            {firing.map((alert) => (
              <Firing key={alert.id} alert={alert} />
            ))}
          </ul>
        </section>
      )}
      <Channels />
      <Lately />
      <Watched />
    </div>
  )
}

const tones = { critical: 'bad', error: 'bad', warning: 'warn' } as const

function useRule(name: string): { title: string; todo: string; place: string | undefined } {
  const words = useWords(ruleWords)
  if (!Object.hasOwn(rulePlaces, name)) return { title: name, todo: '', place: undefined }
  const rule = name as Rule
  return { ...words[rule], place: `/${rulePlaces[rule]}` }
}

/** Only where more than one tenant is looked at. */
function useTenantName(id: string | null): string | undefined {
  const shown = useTenant()
  const { data: tenants = [] } = useTenants()
  if (shown.id !== null || id === null) return undefined
  return tenants.find((one) => one.id === id)?.name ?? id
}

function Firing({ alert }: { alert: Alert }) {
  const words = useWords(alertWords)
  const { title, todo, place } = useRule(alert.rule)
  const tenant = useTenantName(alert.tenant_id)
  return (
    <li className="alerts-firing">
      <div className="row wrap">
        <State tone={tones[alert.severity]}>
          <b className="strong">{title}</b>
        </State>
        {tenant && <span className="soft">{tenant}</span>}
        <span className="muted xs push">
          {words.severities[alert.severity]} · {words.since} <Time at={alert.since} />
        </span>
      </div>
      <p>{alert.summary}</p>
      <div className="row wrap">
        {todo && (
          <p className="soft alerts-todo">
            <b className="strong">{words.whatToDo}:</b> {todo}
          </p>
        )}
        {place && place !== '/alerts' && (
          <ViewLink
            className="btn sm"
            to={place}
            {...(alert.tenant_id !== null && { search: { tenant: alert.tenant_id } })}
          >
            {words.goThere} <Icon name="right" size={14} />
          </ViewLink>
        )}
      </div>
    </li>
  )
}

function Lately() {
  const words = useWords(alertWords)
  const { loadMore } = useWords(common)
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = useAlerts('resolved')
  const alerts = data?.pages.flatMap((page) => page.data)
  if (!alerts) return null
  return (
    <section className="card">
      <h2 className="card-head">{words.lately}</h2>
      {alerts.length === 0 ? (
        <p className="card-body soft">{words.noneLately}</p>
      ) : (
        <div className="table-scroll">
          <table className="table">
            <thead>
              <tr>
                <th>{words.what}</th>
                <th className="alerts-wide">{words.details}</th>
                <th className="figure">{words.lasted}</th>
                <th className="figure">{words.over}</th>
              </tr>
            </thead>
            <tbody>
              {alerts.map((alert) => (
                <Past key={alert.id} alert={alert} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {hasNextPage && (
        <div className="card-body">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {loadMore}
          </Button>
        </div>
      )}
    </section>
  )
}

function Past({ alert }: { alert: Alert }) {
  const { title } = useRule(alert.rule)
  const tenant = useTenantName(alert.tenant_id)
  const format = useFormat()
  const now = useNow()
  const end = alert.resolved_at ?? now
  const lasted = new Date(end).getTime() - new Date(alert.since).getTime()
  return (
    <tr>
      <td>
        {title}
        {tenant && <span className="xs muted alerts-tenant">{tenant}</span>}
      </td>
      <td className="alerts-wide soft">{alert.summary}</td>
      <td className="figure">{format.length(lasted)}</td>
      <td className="figure muted">
        <Time at={end} />
      </td>
    </tr>
  )
}

/** Everything there is to be told of, before it happens. */
function Watched() {
  const words = useWords(alertWords)
  const rules = useWords(ruleWords)
  return (
    <details className="card alerts-watched">
      <summary className="card-head">
        {words.all}
        <Icon name="down" />
      </summary>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th>{words.what}</th>
              <th>{words.whatToDo}</th>
            </tr>
          </thead>
          <tbody>
            {(Object.keys(rulePlaces) as Rule[]).map((rule) => (
              <tr key={rule}>
                <td>
                  {rules[rule].title}
                  <span className="mono muted alerts-tenant">{rule}</span>
                </td>
                <td className="soft">{rules[rule].todo}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
