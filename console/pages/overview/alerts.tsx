// What the gateway raised an alarm about: what it is, what to do, and the button that leads there.
import { Badge } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { shellWords } from '../../shell/words.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { alertWords } from './alert-words.ts'
import { useAlerts } from './queries.ts'
import type { Alert, Health } from './types.ts'
import { overviewWords } from './words.ts'

const askedFor = 50
/** More than these are shown when somebody asks for all. */
const shownAtFirst = 5
const shownOver = 3

interface AlertsProps {
  /** Undefined: the reader's own. */
  nameOf(tenantId: string): string | undefined
}

/** `health`: what is told of it above need not be explained again. */
export function Alerts({ health, nameOf }: AlertsProps & { health: Health }) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { data: open } = useAlerts('firing', askedFor)
  const { data: over } = useAlerts('resolved', shownOver)
  const { search, ask } = usePlace()
  const isAll = search.alerts === 'all'
  const count = open?.data.length ?? 0
  const said = `${format.number(count)}${open?.paging.next ? '+' : ''}`
  return (
    <section className="card" aria-label={words.alerts}>
      <div className="card-head">
        <h2>{words.alerts}</h2>
        {count > 0 && (
          <span className="push">
            <Badge>{words.open(said)}</Badge>
          </span>
        )}
      </div>
      {!open ? (
        <Skeleton lines={3} />
      ) : count === 0 ? (
        <p className="overview-quiet muted">{words.noAlerts}</p>
      ) : (
        <ul>
          {open.data.slice(0, isAll ? count : shownAtFirst).map((alert) => (
            <OpenAlert
              key={alert.id}
              alert={alert}
              nameOf={nameOf}
              isToldAbove={isToldAbove(alert, health)}
            />
          ))}
        </ul>
      )}
      {count > shownAtFirst && (
        <div className="overview-more">
          <Button
            small
            look="ghost"
            aria-expanded={isAll}
            onClick={() => ask({ alerts: isAll ? undefined : 'all' })}
          >
            {isAll ? words.fewer : words.all(said)}
          </Button>
        </div>
      )}
      {over && over.data.length > 0 && (
        <>
          <h3 className="overview-lately">{words.lately}</h3>
          <ul>
            {over.data.map((alert) => (
              <PastAlert key={alert.id} alert={alert} nameOf={nameOf} />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

function isToldAbove({ rule, subject }: Alert, health: Health): boolean {
  const told = { circuit_open: health.circuits_open, reauth_needed: health.accounts_needing_reauth }
  return told[rule as keyof typeof told]?.some((one) => one.phone_number_id === subject) ?? false
}

type AlertView = 'accounts' | 'deadLetters' | 'events' | 'alerts'

/** Where something can be done about it; what is missing here passes by itself, or is done elsewhere. */
const views: Record<string, AlertView> = {
  dead_letters_over_threshold: 'deadLetters',
  retries_exhausted: 'deadLetters',
  processing_failures: 'deadLetters',
  rate_limited: 'accounts',
  reauth_needed: 'accounts',
  token_expiring: 'accounts',
  account_restricted: 'accounts',
  number_claimed_twice: 'accounts',
  alert_delivery_failing: 'alerts',
  event_endpoint_disabled: 'events',
}
const places: Record<AlertView, { to: string; icon: IconName }> = {
  accounts: { to: '/accounts', icon: 'phone' },
  deadLetters: { to: '/dead-letters', icon: 'dead' },
  events: { to: '/events', icon: 'plug' },
  alerts: { to: '/alerts', icon: 'bell' },
}
const marks: Record<Alert['severity'], { icon: IconName; tone: string }> = {
  critical: { icon: 'alert', tone: 'bad' },
  error: { icon: 'warn', tone: 'warn' },
  warning: { icon: 'info', tone: 'info' },
}

/** A rule that this page has not heard of still has the gateway's own words. */
function useAlertText({ rule, summary }: Alert): { title: string; advice: string | undefined } {
  const words: Record<string, { title: string; advice: string }> = useWords(alertWords)
  return words[rule] ?? { title: summary, advice: undefined }
}

function OpenAlert({
  alert,
  nameOf,
  isToldAbove: isShort,
}: AlertsProps & { alert: Alert; isToldAbove: boolean }) {
  const words = useWords(overviewWords)
  const { views: viewNames } = useWords(shellWords)
  const { title, advice } = useAlertText(alert)
  const name = alert.tenant_id === null ? undefined : nameOf(alert.tenant_id)
  const view = views[alert.rule]
  const place = view && places[view]
  const isLost = alert.rule === 'reauth_needed' || alert.rule === 'token_expiring'
  const { icon, tone } = marks[alert.severity]
  const since = (
    <span className="push xs muted">
      <Time at={alert.since} />
    </span>
  )
  return (
    <li className="overview-item" data-alert={alert.rule}>
      <Icon name={icon} className={tone} />
      <div>
        <b className="strong">{title}</b>
        {isShort ? (
          <div className="row">
            <span className="soft cut">{name}</span>
            {since}
          </div>
        ) : (
          <>
            <p className="soft">
              {name !== undefined && `${name}. `}
              {advice}
            </p>
            <details className="xs muted">
              <summary>{words.more}</summary>
              {alert.summary}
            </details>
            <div className="row overview-act">
              {place && (
                <ViewLink
                  className="btn sm"
                  to={place.to}
                  search={name === undefined ? {} : { tenant: alert.tenant_id ?? undefined }}
                >
                  <Icon name={isLost ? 'link' : place.icon} size={14} />
                  {isLost ? words.reconnect : viewNames[view]}
                </ViewLink>
              )}
              {since}
            </div>
          </>
        )}
      </div>
    </li>
  )
}

function PastAlert({ alert, nameOf }: { alert: Alert } & AlertsProps) {
  const { title } = useAlertText(alert)
  return (
    <li className="overview-item over">
      <Icon name="check" />
      <div>
        <span className="soft">{title}</span>
        <div className="row xs muted">
          <span className="cut">{alert.tenant_id !== null && nameOf(alert.tenant_id)}</span>
          <span className="push">
            <Time at={alert.resolved_at ?? alert.fired_at} />
          </span>
        </div>
      </div>
    </li>
  )
}
