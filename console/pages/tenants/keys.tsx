// A tenant's API keys: made, shown once, revoked.
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { get, post, remove } from '../../api/call.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { ApiKey, List, Tenant } from '../../api/types.ts'
import { Badge } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Refused, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { TextField } from './tenant-dialogs.tsx'
import { tenantsWords } from './words.ts'

const keysAt = (tenantId: string) => `/api/admin/tenants/${tenantId}/api-keys`

export function Keys({ tenant }: { tenant: Tenant }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const [isMaking, setMaking] = useState(false)
  const [revoking, setRevoking] = useState<ApiKey>()
  const [showsRevoked, setShowsRevoked] = useState(false)
  const list = useInfiniteQuery({
    queryKey: ['keys', tenant.id],
    queryFn: ({ pageParam, signal }) =>
      get<List<ApiKey>>(keysAt(tenant.id), { limit: 100, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ paging }) => paging.next ?? undefined,
  })
  const keys = list.data?.pages.flatMap(({ data }) => data)
  const working = keys?.filter((key) => key.revoked_at === null) ?? []
  const revoked = keys?.filter((key) => key.revoked_at !== null) ?? []
  return (
    <div className="tenants-part">
      <div className="row">
        <h3>{words.keys}</h3>
        <Button small icon="plus" className="push" onClick={() => setMaking(true)}>
          {words.makeKey}
        </Button>
      </div>
      {list.error && !keys && <Trouble error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton />}
      {keys && working.length === 0 && <p className="soft">{words.noKeys}</p>}
      <ul className="tenants-keys">
        {[...working, ...(showsRevoked ? revoked : [])].map((key) => (
          <KeyRow key={key.id} apiKey={key} onRevoke={() => setRevoking(key)} />
        ))}
      </ul>
      {revoked.length > 0 && !showsRevoked && (
        <Button small look="ghost" onClick={() => setShowsRevoked(true)}>
          {words.showRevoked(revoked.length)}
        </Button>
      )}
      {list.hasNextPage && (
        <Button small busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {shared.loadMore}
        </Button>
      )}
      {isMaking && <MakeKey tenant={tenant} onClose={() => setMaking(false)} />}
      {revoking && (
        <RevokeKey tenant={tenant} apiKey={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </div>
  )
}

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke(): void }) {
  const words = useWords(tenantsWords)
  return (
    <li>
      <div className="tenants-name">
        <span className="row">
          <b className="strong cut">{apiKey.name}</b>
          <span className="mono muted">{apiKey.key_start}…</span>
          {apiKey.revoked_at && <Badge>{words.revoked}</Badge>}
        </span>
        <span className="xs muted">
          {apiKey.last_used_at ? (
            <>
              {words.used} <Time at={apiKey.last_used_at} />
            </>
          ) : (
            words.neverUsed
          )}{' '}
          · {words.made} <Time at={apiKey.created_at} />
        </span>
      </div>
      {!apiKey.revoked_at && (
        <Button small look="danger" aria-label={words.revokeLabel(apiKey.name)} onClick={onRevoke}>
          {words.revoke}
        </Button>
      )}
    </li>
  )
}

function MakeKey({ tenant, onClose }: { tenant: Tenant; onClose(): void }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const making = useMutation({
    mutationFn: () => post<{ name: string; key: string }>(keysAt(tenant.id), { name }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys', tenant.id] }),
  })
  if (making.data) {
    return (
      <Dialog
        title={words.keyTitle(making.data.name)}
        onClose={onClose}
        foot={
          <Button look="primary" onClick={onClose}>
            {shared.done}
          </Button>
        }
      >
        <p className="soft">{words.keyText}</p>
        <Secret text={making.data.key} />
      </Dialog>
    )
  }
  const isUnnamed =
    making.error instanceof ApiProblem && making.error.fieldProblem('name') !== undefined
  return (
    <Dialog
      title={words.makeKeyTitle}
      onClose={onClose}
      onSubmit={() => making.isPending || making.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={making.isPending}>
            {words.makeKeyDo}
          </Button>
        </>
      }
    >
      <p className="soft">{words.keysText}</p>
      <TextField
        name="name"
        label={words.keyName}
        hint={words.keyNameHint}
        problem={isUnnamed ? words.keyNameMissing : undefined}
        value={name}
        onType={setName}
      />
      <Refused error={making.error} fields={['name']} />
    </Dialog>
  )
}

interface RevokeKeyProps {
  tenant: Tenant
  apiKey: ApiKey
  onClose(): void
}

function RevokeKey({ tenant, apiKey, onClose }: RevokeKeyProps) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const format = useFormat()
  const now = useNow()
  const queries = useQueryClient()
  const revoking = useMutation({
    mutationFn: () => remove(`${keysAt(tenant.id)}/${apiKey.id}`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['keys', tenant.id] })
      onClose()
    },
  })
  return (
    <Dialog
      title={words.revokeTitle(apiKey.name)}
      onClose={onClose}
      onSubmit={() => revoking.isPending || revoking.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="danger" type="submit" busy={revoking.isPending}>
            {words.revokeDo(apiKey.name)}
          </Button>
        </>
      }
    >
      <p>{words.revokeText}</p>
      <p className="soft">
        {apiKey.last_used_at
          ? words.revokeUsed(format.ago(apiKey.last_used_at, now))
          : words.revokeUnused}
      </p>
      <Refused error={revoking.error} />
    </Dialog>
  )
}
