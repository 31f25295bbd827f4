// For operators: the firms that use this gateway, what each may, and its keys.
import type { Tenant } from '../../api/types.ts'
import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Finder } from '../../parts/finder.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useTenants } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { TenantDetails } from './details.tsx'
import { StateFilter, useFoundTenants } from './find.tsx'
import { CreateTenant } from './tenant-dialogs.tsx'
import { tenantsWords } from './words.ts'
import './tenants.css'

export function Page() {
  const words = useWords(tenantsWords)
  const format = useFormat()
  const { search, params, ask } = usePlace()
  const { data: tenants, error, refetch } = useTenants()
  const create = (
    <Button look="primary" icon="plus" onClick={() => ask({ new: '1' })}>
      {words.create}
    </Button>
  )
  return (
    <div className="page" data-open={params.id !== undefined}>
      <div className="page-head tenants-list">
        <div>
          <h1>{words.title}</h1>
          {tenants && tenants.length > 0 && (
            <p>{words.text(tenants.length, format.number(tenants.length))}</p>
          )}
        </div>
        <div className="page-actions">{create}</div>
      </div>
      {error && !tenants ? (
        <Trouble error={error} onRetry={() => void refetch()} />
      ) : !tenants ? (
        <Skeleton lines={6} />
      ) : tenants.length === 0 ? (
        <section className="card">
          <Empty title={words.none} actions={create}>
            {words.noneText}
          </Empty>
        </section>
      ) : (
        <div className="tenants-panes">
          <TenantList tenants={tenants} />
          {params.id !== undefined && <Chosen tenants={tenants} id={params.id} />}
        </div>
      )}
      {search.new && <CreateTenant onClose={() => ask({ new: undefined })} />}
    </div>
  )
}

function Chosen({ tenants, id }: { tenants: Tenant[]; id: string }) {
  const words = useWords(tenantsWords)
  const tenant = tenants.find((one) => one.id === id)
  if (tenant) return <TenantDetails key={id} tenant={tenant} />
  return (
    <section className="card">
      <Empty title={words.gone}>{words.goneText}</Empty>
    </section>
  )
}

const tones = { active: 'ok', suspended: 'bad' } as const

function TenantList({ tenants }: { tenants: Tenant[] }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const { search, params, ask, go } = usePlace()
  const { found, shown, showMore } = useFoundTenants(tenants)
  const wishes = { q: search.q, state: search.state }
  return (
    <section className="card tenants-list" aria-label={words.title}>
      <div className="card-head tenants-tools">
        <StateFilter tenants={tenants} />
        <Finder
          label={words.find}
          value={search.q ?? ''}
          onFind={(q) => ask({ q: q || undefined })}
        />
      </div>
      {found.length === 0 ? (
        <Empty
          title={words.noneFound}
          actions={
            <Button onClick={() => ask({ q: undefined, state: undefined })}>{words.showAll}</Button>
          }
        >
          {words.noneFoundText}
        </Empty>
      ) : (
        <table className="table tenants-table">
          <thead>
            <tr>
              <th>{words.columns.name}</th>
              <th>{words.columns.state}</th>
              <th className="wide-only figure">{words.columns.since}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((tenant) => (
              <tr
                key={tenant.id}
                className={tenant.id === params.id ? 'opens chosen' : 'opens'}
                onClick={() => go(`/tenants/${tenant.id}`, wishes)}
              >
                <td>
                  <ViewLink
                    className="tenants-name"
                    to={`/tenants/${tenant.id}`}
                    search={wishes}
                    aria-current={tenant.id === params.id ? 'true' : undefined}
                    onClick={(event) => event.stopPropagation()}
                  >
                    <b className="strong cut">{tenant.name}</b>
                    <span className="xs muted cut">{tenant.slug}</span>
                  </ViewLink>
                </td>
                <td>
                  <State tone={tones[tenant.status]}>{words.states[tenant.status]}</State>
                </td>
                <td className="wide-only figure muted">
                  <Time at={tenant.created_at} as="short" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.length < found.length && (
        <div className="more-row">
          <Button onClick={showMore}>{shared.loadMore}</Button>
        </div>
      )}
    </section>
  )
}
