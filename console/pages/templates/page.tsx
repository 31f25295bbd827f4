// Templates: what Meta lets be sent to people who have been silent. Agents read; admins write, sync and delete.
import { useMutation } from '@tanstack/react-query'
import { post } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Split } from '../../parts/split.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { Chosen } from './chosen.tsx'
import {
  type BusinessAccount,
  businessAccounts,
  type SyncResult,
  type Template,
  templatesPath,
  useAccounts,
  useReload,
  useSyncStates,
  useTemplates,
} from './data.ts'
import { Editor } from './editor/editor.tsx'
import { nameOf, TemplateTable, TemplateTools, useWish } from './list.tsx'
import { Refused } from './refused.tsx'
import { templateWords } from './words.ts'
import './templates.css'

export function Page() {
  const { params, search } = usePlace()
  const { may } = useSession()
  const wish = useWish()
  const { data: templates, error, refetch } = useTemplates()
  const { data: numbers } = useAccounts()
  const accounts = businessAccounts(numbers ?? [])
  // Of the page: the button of the empty page is gone once templates are here, and what came of it is to be seen.
  const sync = useSync()
  if (!templates) {
    return error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />
  }
  const chosen = templates.find(({ id }) => id === params.id)
  const isWriting = may('admin') && (search.new || (search.edit && chosen))
  if (isWriting && numbers) {
    const edited = search.new ? undefined : chosen
    return (
      <Editor
        key={edited?.id ?? 'new'}
        template={edited}
        templates={templates}
        accounts={accounts}
      />
    )
  }
  return (
    <Split
      inspector={
        chosen && (
          <Chosen
            template={chosen}
            siblings={templates
              .filter(({ name, waba_id }) => name === chosen.name && waba_id === chosen.waba_id)
              .toSorted((a, b) => a.language.localeCompare(b.language))}
            accounts={accounts}
          />
        )
      }
    >
      <Head templates={templates} accounts={accounts} sync={sync} />
      {templates.length === 0 ? (
        <Nothing hasAccount={!numbers || accounts.length > 0} sync={sync} />
      ) : (
        <>
          <TemplateTools templates={templates} wish={wish} />
          <TemplateTable
            templates={templates}
            wish={wish}
            accounts={accounts}
            chosenId={params.id}
          />
        </>
      )}
    </Split>
  )
}

function useSync() {
  const reload = useReload()
  return useMutation({
    mutationFn: () => post<SyncResult>(`${templatesPath}/sync`),
    onSuccess: reload,
  })
}

type Sync = ReturnType<typeof useSync>

function Head({
  templates,
  accounts,
  sync,
}: {
  templates: Template[]
  accounts: BusinessAccount[]
  sync: Sync
}) {
  const words = useWords(templateWords)
  const format = useFormat()
  const { may } = useSession()
  const sendable = templates.filter(({ is_sendable }) => is_sendable).length
  return (
    <>
      <div className="list-head">
        <h1>{words.title}</h1>
        <p className="soft">
          {templates.length > 0 &&
            words.summary(
              words.counted(templates.length, format.number(templates.length)),
              format.number(sendable),
            )}
          <LastSync accounts={accounts} />
        </p>
        {may('admin') && accounts.length > 0 && (
          <div className="page-actions">
            <Button icon="again" busy={sync.isPending} onClick={() => sync.mutate()}>
              {words.sync}
            </Button>
            <NewLink />
          </div>
        )}
      </div>
      {sync.error && (
        <div className="templates-synced">
          <Refused error={sync.error} />
        </div>
      )}
      {sync.data && <Synced results={sync.data.data} accounts={accounts} onClose={sync.reset} />}
    </>
  )
}

function NewLink() {
  const words = useWords(templateWords)
  return (
    <ViewLink className="btn primary" to="/templates" search={{ new: '1' }}>
      <Icon name="plus" />
      {words.create}
    </ViewLink>
  )
}

/** The oldest: none is less true than that. */
function LastSync({ accounts }: { accounts: BusinessAccount[] }) {
  const words = useWords(templateWords)
  const { data: syncs = [] } = useSyncStates(accounts)
  if (syncs.length === 0) return null
  const times = syncs.map(({ synced_at }) => synced_at ?? '').toSorted()
  const denied = syncs.find(({ access }) => access === 'denied')
  return (
    <>
      {' · '}
      {times[0] ? (
        <>
          {words.synced} <Time at={times[0]} />
        </>
      ) : (
        words.neverSynced
      )}
      {denied && (
        <span className="bad">
          {' · '}
          {words.accessDenied}
        </span>
      )}
    </>
  )
}

function Synced({
  results,
  accounts,
  onClose,
}: {
  results: SyncResult['data']
  accounts: BusinessAccount[]
  onClose(): void
}) {
  const words = useWords(templateWords)
  const { close } = useWords(common)
  const { number } = useFormat()
  const hasFailed = results.some(({ error }) => error)
  return (
    <div className={`banner templates-synced ${hasFailed ? '' : 'info'}`} role="status">
      <Icon name={hasFailed ? 'warn' : 'check'} />
      <ul>
        {results.map(({ waba_id, listed, added, gone, error }) => (
          <li key={waba_id}>
            <b className="strong">{nameOf(waba_id, accounts)}</b>{' '}
            {error
              ? `${words.syncFailed}: ${error.message}`
              : words.syncDone(number(listed), number(added), number(gone))}
          </li>
        ))}
      </ul>
      <IconButton icon="x" label={close} onClick={onClose} />
    </div>
  )
}

function Nothing({ hasAccount, sync }: { hasAccount: boolean; sync: Sync }) {
  const words = useWords(templateWords)
  const { may } = useSession()
  if (!may('admin')) return <Empty title={words.none}>{words.noneForAgents}</Empty>
  if (!hasAccount) {
    return (
      <Empty
        title={words.none}
        actions={
          <ViewLink className="btn" to="/accounts">
            {words.toAccounts}
          </ViewLink>
        }
      >
        {words.noAccount}
      </Empty>
    )
  }
  return (
    <Empty
      title={words.none}
      actions={
        <>
          <Button icon="again" busy={sync.isPending} onClick={() => sync.mutate()}>
            {words.sync}
          </Button>
          <NewLink />
        </>
      }
    >
      {words.noneText}
    </Empty>
  )
}
