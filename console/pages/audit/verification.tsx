// How the verification goes, and what it found: the first broken row of each chain, by name.
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import type { Found, Verifying } from './audit.ts'
import { auditWords } from './words.ts'

export function VerificationNote({ state, onRetry }: { state: Verifying; onRetry(): void }) {
  const words = useWords(auditWords)
  const format = useFormat()
  if (state.kind === 'idle') return null
  if (state.kind === 'trouble') {
    return (
      <div className="card">
        <Trouble error={state.error} onRetry={onRetry} />
      </div>
    )
  }
  const { found, rows, total } = state
  if (found.broken.length > 0) return <Broken found={found} />
  if (state.kind === 'walking') {
    const text = words.verifying(format.number(rows), format.number(total))
    return (
      <div className="banner info" role="status">
        <Icon name="shield" />
        <p>{text}</p>
        <progress className="audit-progress" aria-label={text} max={total || 1} value={rows} />
      </div>
    )
  }
  const [only] = found.whole
  return (
    <div className="banner audit-whole" role="status">
      <Icon name="check" />
      <p>
        <b className="strong">{words.whole}</b>{' '}
        {found.whole.length === 1
          ? words.wholeOne(format.number(rows))
          : words.wholeText(format.number(rows), format.number(found.whole.length))}
        {found.whole.length === 1 && only && (
          <span className="audit-end xs">
            {words.end} <Copy text={only.hash} shown={`${only.hash.slice(0, 16)}…`} />
          </span>
        )}
      </p>
    </div>
  )
}

function Broken({ found }: { found: Found }) {
  const words = useWords(auditWords)
  const format = useFormat()
  const { name: shownTenant } = useTenant()
  const { data: tenants } = useTenants()
  const nameOf = (id: string | null) =>
    id === null
      ? words.operators
      : (tenants?.find((tenant) => tenant.id === id)?.name ?? (shownTenant || id))
  return (
    <div className="banner bad audit-broken" role="alert">
      <Icon name="alert" />
      <div>
        <b className="strong">{words.broken}</b> {words.brokenText}
        <ul>
          {found.broken.map(({ tenant_id, position, problem }) => (
            <li key={tenant_id ?? ''}>
              <b className="strong">
                {position === null ? words.chainItself : words.row(format.number(position))}
              </b>{' '}
              {words.problems[problem]}{' '}
              <span className="soft">{words.brokenChain(nameOf(tenant_id))}.</span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
