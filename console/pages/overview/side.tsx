// Beside the charts: whether Meta answers, what is paused, and who must be reconnected.
import { Badge, State } from '../../parts/basics.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import type { Health } from './types.ts'
import { overviewWords } from './words.ts'

export function MetaCard({ health }: { health: Health }) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { circuits_open, numbers_count, send_p95_ms } = health
  const failing = circuits_open.filter(({ scope }) => scope === 'number').length
  const isAway = circuits_open.some(({ scope }) => scope === 'host')
  const fine = isAway ? 0 : Math.max(0, numbers_count - failing)
  const facts = [
    ...(numbers_count > 1
      ? [words.meta.numbers(format.number(fine), format.number(numbers_count))]
      : []),
    ...(send_p95_ms === null ? [] : [format.latency(send_p95_ms)]),
  ]
  const [tone, text] = isAway
    ? (['bad', words.meta.away] as const)
    : failing > 0
      ? failing < numbers_count
        ? (['warn', words.meta.partly(failing)] as const)
        : (['bad', numbers_count === 1 ? words.meta.partly(1) : words.meta.wholly] as const)
      : send_p95_ms === null
        ? (['plain', words.meta.silent] as const)
        : (['ok', words.meta.answers] as const)
  return (
    <section className="card overview-meta" aria-label={words.meta.title}>
      <State tone={tone}>
        <b className="strong">{text}</b>
      </State>
      <span className="muted xs num">{facts.join(' · ')}</span>
    </section>
  )
}

type Circuit = Health['circuits_open'][number]

interface SideProps {
  health: Health
  /** Undefined: the reader's own. */
  nameOf(tenantId: string): string | undefined
}

const shownCircuits = 5

export function Circuits({ health, nameOf }: SideProps) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { circuits_open: circuits } = health
  if (circuits.length === 0) return null
  return (
    <section className="card" aria-label={words.circuits}>
      <div className="card-head">
        <h2>{words.circuits}</h2>
        <span className="push">
          <Badge tone="warn">{format.number(circuits.length)}</Badge>
        </span>
      </div>
      <ul>
        {circuits.slice(0, shownCircuits).map((circuit) => (
          <CircuitItem
            key={circuit.phone_number_id ?? circuit.scope}
            circuit={circuit}
            waiting={waitingOf(circuit, health)}
            name={circuit.tenant_id === null ? undefined : nameOf(circuit.tenant_id)}
          />
        ))}
      </ul>
      {circuits.length > shownCircuits && (
        <p className="overview-item muted">
          {words.moreCircuits(format.number(circuits.length - shownCircuits))}
        </p>
      )}
    </section>
  )
}

/** The tenant's: it may have more than one number that is paused. */
function waitingOf({ tenant_id }: Circuit, health: Health): number {
  const whose = health.tenants?.find((one) => one.tenant_id === tenant_id) ?? health
  return whose.sends_by_state.circuit_open?.count ?? 0
}

function CircuitItem({
  circuit,
  waiting,
  name,
}: {
  circuit: Circuit
  waiting: number
  name: string | undefined
}) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const now = useNow()
  const { opened_at, trial_at, calls, failures } = circuit
  const [opened, trial] = [Date.parse(opened_at), Date.parse(trial_at)]
  const passed = Math.min(1, Math.max(0, (now - opened) / Math.max(1, trial - opened)))
  const text = [
    ...(circuit.scope === 'host' ? [words.hostText] : []),
    ...(name === undefined ? [] : [`${name}.`]),
    ...(failures > 0 ? [words.failedCalls(format.number(failures), format.number(calls))] : []),
    ...(waiting > 0 ? [words.waitSafely(format.number(waiting))] : []),
  ].join(' ')
  return (
    <li className="overview-item" data-circuit={circuit.phone_number_id ?? 'host'}>
      <Icon name="bolt" className="warn" />
      <div>
        <b className="strong">
          {circuit.scope === 'host'
            ? words.host
            : (circuit.display_phone_number ?? circuit.phone_number_id)}
        </b>
        <p className="soft">{text}</p>
        <div className="row xs overview-trial">
          <span>
            {words.nextTrial} {trial > now ? <Time at={trial_at} as="until" /> : words.trialNow}
          </span>
          <span className="push muted num">{words.openedAt(format.time(opened))}</span>
        </div>
        <div className="overview-bar" aria-hidden="true">
          <span style={{ width: `${passed * 100}%` }} />
        </div>
      </div>
    </li>
  )
}

const shownAccounts = 5

export function Reconnects({ health, nameOf }: SideProps) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { accounts_needing_reauth: accounts } = health
  if (accounts.length === 0) return null
  return (
    <section className="card" aria-label={words.reconnectTitle}>
      <div className="card-head">
        <h2>{words.reconnectTitle}</h2>
        <span className="push">
          <Badge tone="bad">{format.number(accounts.length)}</Badge>
        </span>
      </div>
      <ul>
        {accounts.slice(0, shownAccounts).map((account) => (
          <li key={account.account_id} className="overview-item" data-reauth={account.account_id}>
            <Icon name="link" className="bad" />
            <div>
              <b className="strong">{nameOf(account.tenant_id) ?? account.display_phone_number}</b>
              <p className="soft">
                {nameOf(account.tenant_id) !== undefined && `${account.display_phone_number}. `}
                {words.reconnectText}
              </p>
              <ViewLink
                className="btn sm overview-act"
                to="/accounts"
                search={{ tenant: health.tenants ? account.tenant_id : undefined }}
              >
                <Icon name="link" size={14} />
                {words.reconnect}
              </ViewLink>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
