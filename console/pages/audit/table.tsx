// One row for each act; its details below it, one click deeper.
import { Fragment } from 'react'
import type { AuditAct } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { actionWords } from './actions.ts'
import { auditWords } from './words.ts'

/** An act's place among all of them, for the address. */
const placeOf = ({ tenant_id, position }: AuditAct) => `${tenant_id ?? 'operators'}.${position}`

export function AuditTable({ acts }: { acts: AuditAct[] }) {
  const words = useWords(auditWords)
  const { id: tenantId } = useTenant()
  const ofAll = tenantId === null
  return (
    <table className="table audit-table">
      <thead>
        <tr>
          <th className="audit-when">{words.columns.when}</th>
          <th className="wide-only">{words.columns.who}</th>
          <th>{words.columns.what}</th>
          <th className="wide-only">{words.columns.to}</th>
          {ofAll && <th className="wide-only">{words.columns.tenant}</th>}
          <th className="audit-open">
            <span className="sr">{words.columns.details}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {acts.map((act) => (
          <ActRows key={placeOf(act)} act={act} ofAll={ofAll} />
        ))}
      </tbody>
    </table>
  )
}

const isId = (text: string) => /^([a-z]+_[0-9a-f]{32}|[0-9a-f-]{36})$/.test(text)

function useActWords(act: AuditAct) {
  const words = useWords(auditWords)
  const actions: Record<string, string> = useWords(actionWords)
  return {
    what: actions[act.action] ?? act.action,
    who: act.actor_name ?? (act.actor === 'nobody' ? words.nobody : act.actor),
    toWhat: act.subject_name ?? act.subject,
  }
}

function ActRows({ act, ofAll }: { act: AuditAct; ofAll: boolean }) {
  const words = useWords(auditWords)
  const { what, who, toWhat } = useActWords(act)
  const { data: tenants } = useTenants()
  const { search, ask } = usePlace()
  const isOpen = search.act === placeOf(act)
  const toggle = () => ask({ act: isOpen ? undefined : placeOf(act) })
  // What somebody did about themselves.
  const isOwn = act.actor === act.subject
  const columns = ofAll ? 6 : 5
  return (
    <Fragment>
      <tr className={isOpen ? 'opens audit-opened' : 'opens'} onClick={toggle}>
        <td className="muted audit-when">
          <Time at={act.at} />
        </td>
        <td className="wide-only">
          <span className={`cut audit-cell ${isId(who) ? 'mono muted' : ''}`}>{who}</span>
        </td>
        <td>
          <b className="strong">{what}</b>
          {act.reason !== null && <span className="xs soft audit-why">{act.reason}</span>}
          <span className="xs muted audit-why narrow-only">
            {isOwn ? who : `${who} · ${toWhat}`}
          </span>
        </td>
        <td className="wide-only">
          <span className={`cut audit-cell ${isId(toWhat) ? 'mono muted' : ''}`}>
            {isOwn ? '—' : toWhat}
          </span>
        </td>
        {ofAll && (
          <td className="wide-only soft">
            <span className="cut audit-cell">
              {tenants?.find(({ id }) => id === act.tenant_id)?.name ?? '—'}
            </span>
          </td>
        )}
        <td className="audit-open">
          <IconButton
            icon={isOpen ? 'down' : 'right'}
            label={words.details(what)}
            aria-expanded={isOpen}
            onClick={(event) => {
              event.stopPropagation()
              toggle()
            }}
          />
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={columns} className="audit-details">
            <ActDetails act={act} />
          </td>
        </tr>
      )}
    </Fragment>
  )
}

function ActDetails({ act }: { act: AuditAct }) {
  const words = useWords(auditWords)
  const format = useFormat()
  const { ask } = usePlace()
  const details = Object.entries(act.details)
  return (
    <dl className="facts">
      <dt>{words.columns.when}</dt>
      <dd>{format.exact(act.at)}</dd>
      <dt>{words.columns.who}</dt>
      <dd className="row wrap">
        <Copy text={act.actor} />
        <Button small look="ghost" onClick={() => ask({ actor: act.actor, act: undefined })}>
          {words.allBy}
        </Button>
      </dd>
      <dt>{words.columns.what}</dt>
      <dd>
        <span className="mono">{act.action}</span>
      </dd>
      <dt>{words.columns.to}</dt>
      <dd className="row wrap">
        <Copy text={act.subject} />
        <Button small look="ghost" onClick={() => ask({ subject: act.subject, act: undefined })}>
          {words.allAbout}
        </Button>
      </dd>
      {act.reason !== null && (
        <>
          <dt>{words.columns.why}</dt>
          <dd>{act.reason}</dd>
        </>
      )}
      {details.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="mono">{name}</dt>
          <dd className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
        </Fragment>
      ))}
      <dt>{words.position}</dt>
      <dd className="num">{format.number(act.position)}</dd>
      <dt>{words.hash}</dt>
      <dd>
        <Copy text={act.hash} />
      </dd>
    </dl>
  )
}
