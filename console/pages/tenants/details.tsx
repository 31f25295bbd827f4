// One tenant: its state, its limits, its keys, and the ways to what is its.

import { useState } from 'react'
import type { Tenant } from '../../api/types.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { usePaneHeading } from '../../parts/narrow.ts'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { rememberTenant } from '../../shell/tenant.tsx'
import { shellWords } from '../../shell/words.ts'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { Keys } from './keys.tsx'
import { ChangeTenant, Suspend } from './tenant-dialogs.tsx'
import { useTenantChange } from './tenants.ts'
import { tenantsWords } from './words.ts'

/** Where an operator goes next. */
const ways = [
  { name: 'overview', icon: 'activity' },
  { name: 'inbox', icon: 'inbox' },
  { name: 'accounts', icon: 'phone' },
  { name: 'people', icon: 'people' },
  { name: 'audit', icon: 'shield' },
] as const

export function TenantDetails({ tenant }: { tenant: Tenant }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const { search, go } = usePlace()
  const Heading = usePaneHeading()
  const [dialog, setDialog] = useState<'change' | 'suspend'>()
  const close = () => setDialog(undefined)
  const back = () => go('/tenants', { q: search.q, state: search.state })
  return (
    <section className="card tenants-details" aria-label={tenant.name}>
      <div className="tenants-head">
        <IconButton icon="back" label={shared.back} className="narrow-only" onClick={back} />
        <Heading className="cut">{tenant.name}</Heading>
        <IconButton icon="x" label={shared.close} className="wide-only" onClick={back} />
      </div>
      {tenant.status === 'suspended' && <SuspendedNote tenant={tenant} />}
      <Ways tenant={tenant} />
      <div className="tenants-part">
        <dl className="facts">
          <dt>{words.id}</dt>
          <dd>
            <Copy text={tenant.id} />
          </dd>
          <dt>{words.slug}</dt>
          <dd>
            <Copy text={tenant.slug} />
          </dd>
          <dt>{words.since}</dt>
          <dd>
            <Time at={tenant.created_at} as="short" />
          </dd>
        </dl>
        <Limits tenant={tenant} />
        <div className="row wrap">
          <Button small icon="edit" onClick={() => setDialog('change')}>
            {words.change}
          </Button>
          {tenant.status === 'active' && (
            <Button small icon="pause" look="danger" onClick={() => setDialog('suspend')}>
              {words.suspend}
            </Button>
          )}
        </div>
      </div>
      <Keys tenant={tenant} />
      {dialog === 'change' && <ChangeTenant tenant={tenant} onClose={close} />}
      {dialog === 'suspend' && <Suspend tenant={tenant} onClose={close} />}
    </section>
  )
}

function SuspendedNote({ tenant }: { tenant: Tenant }) {
  const words = useWords(tenantsWords)
  const { say, complain } = useToasts()
  const change = useTenantChange(tenant.id)
  return (
    <div className="banner bad tenants-note">
      <Icon name="pause" />
      <p>
        <b className="strong">{words.suspended}</b>
        <br />
        {words.suspendedText}
      </p>
      <Button
        small
        icon="play"
        busy={change.isPending}
        onClick={() =>
          change.mutate(
            { status: 'active' },
            { onSuccess: () => say(words.resumed(tenant.name)), onError: complain },
          )
        }
      >
        {words.resume}
      </Button>
    </div>
  )
}

function Ways({ tenant }: { tenant: Tenant }) {
  const words = useWords(tenantsWords)
  const { views: names } = useWords(shellWords)
  return (
    <nav className="tenants-ways" aria-label={words.look}>
      {ways.map(({ name, icon }) => (
        <ViewLink
          key={name}
          className="btn sm"
          to={`/${name}`}
          search={{ tenant: tenant.id }}
          onClick={() => rememberTenant(tenant.id)}
        >
          <Icon name={icon} size={14} />
          {names[name]}
        </ViewLink>
      ))}
    </nav>
  )
}

function Limits({ tenant }: { tenant: Tenant }) {
  const words = useWords(tenantsWords)
  const format = useFormat()
  const number = (value: number | null) =>
    value === null ? <span className="muted">{words.asGateway}</span> : format.number(value)
  return (
    <dl className="facts" aria-label={words.limits}>
      <dt>{words.concurrency}</dt>
      <dd>{number(tenant.max_concurrency)}</dd>
      <dt>{words.queued}</dt>
      <dd>{number(tenant.max_queued)}</dd>
      <dt>{words.retries}</dt>
      <dd>
        {tenant.retry_policy === null ? (
          <span className="muted">{words.asGateway}</span>
        ) : (
          words.policies[tenant.retry_policy]
        )}
      </dd>
    </dl>
  )
}
