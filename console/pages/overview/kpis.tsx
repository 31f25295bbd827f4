// The figures of this moment, in one row.
import type { ReactNode } from 'react'
import { ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { figureWords } from './figure-words.ts'
import type { Health, History } from './types.ts'

interface KpisProps {
  health: Health
  limits: History['limits'] | undefined
  /** Undefined: the reader's own. */
  nameOf(tenantId: string): string | undefined
}

const heldStates = ['circuit_open', 'parked', 'throttled', 'retry_wait', 'scheduled'] as const

export function Kpis({ health, limits, nameOf }: KpisProps) {
  const words = useWords(figureWords)
  const format = useFormat()
  const { number } = format
  const rate = health.send_success_rate_last_1h
  const held = heldStates.flatMap((state) => {
    const count = health.sends_by_state[state]?.count ?? 0
    return count > 0 ? [words.held[state](number(count))] : []
  })
  const isHeld = heldStates
    .slice(0, 3)
    .some((state) => (health.sends_by_state[state]?.count ?? 0) > 0)
  const limit = limits?.oldest_pending_seconds
  const oldest = health.oldest_pending_seconds
  const lengthOf = (seconds: number) => format.length(seconds * 1000)
  const lost = [...new Set(health.accounts_needing_reauth.map((one) => one.tenant_id))]
  const lostNames = lost.flatMap((id) => nameOf(id) ?? [])
  return (
    <dl className="card overview-kpis" aria-label={words.figures}>
      <Kpi
        label={words.kpi.success}
        hint={words.decidedHint}
        value={rate === null ? '—' : format.percent(rate)}
        note={
          health.sends_decided_last_1h === 0
            ? words.noneDecided
            : words.decided(
                number(health.sends_accepted_last_1h),
                number(health.sends_decided_last_1h),
              )
        }
      />
      <Kpi
        label={words.kpi.waitingSends}
        value={number(health.outbox_pending_count)}
        tone={isHeld ? 'warn' : undefined}
        note={
          held.length > 0
            ? held.join(', ')
            : health.outbox_pending_count > 0
              ? words.allMoving
              : words.noneWaiting
        }
      />
      <Kpi
        label={words.kpi.waitingEvents}
        value={number(health.webhook_events_pending_count)}
        note={
          health.webhook_events_pending_count === 0
            ? words.noneWaiting
            : words.oldestOf(lengthOf(health.oldest_webhook_seconds))
        }
      />
      <Kpi
        label={words.kpi.oldest}
        value={oldest === null ? '—' : lengthOf(oldest)}
        tone={limit !== undefined && oldest !== null && oldest > limit ? 'bad' : undefined}
        note={limit === undefined ? '' : words.alertAbove(lengthOf(limit))}
      />
      <Kpi
        label={words.kpi.deadLetters}
        value={number(health.dlq_count)}
        note={
          health.dlq_count === 0 ? (
            words.noneWaiting
          ) : (
            <ViewLink to="/dead-letters">
              {words.decide}
              {health.oldest_dead_letter_seconds !== null &&
                ` · ${words.oldestOf(lengthOf(health.oldest_dead_letter_seconds))}`}
            </ViewLink>
          )
        }
      />
      <Kpi
        label={words.kpi.reauth}
        value={number(health.accounts_needing_reauth.length)}
        note={
          lost.length === 0 ? (
            words.noneToReconnect
          ) : (
            <ViewLink to="/accounts" search={lost.length === 1 ? { tenant: lost[0] } : {}}>
              {lostNames.length > 0 ? lostNames.slice(0, 2).join(', ') : words.reconnect}
            </ViewLink>
          )
        }
      />
    </dl>
  )
}

interface KpiProps {
  label: string
  hint?: string
  value: string
  note: ReactNode
  tone?: 'warn' | 'bad' | undefined
}

function Kpi({ label, hint, value, note, tone }: KpiProps) {
  // A figure is read first, its unit after it.
  const [, figure = value, unit = ''] = /^([\d.,\s]*\d)\s(\D+)$/.exec(value) ?? []
  return (
    <div className="overview-kpi" title={hint}>
      <dt>{label}</dt>
      <dd className="overview-figure num">
        {figure}
        {unit && <small>{unit}</small>}
      </dd>
      <dd className={`overview-note ${tone ?? ''}`}>{note}</dd>
    </div>
  )
}
