// Accounts: every number of the tenant, the worst first, and one of them from its access to its answers.
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { AccountCard } from './account-card.tsx'
import { AccountList } from './account-list.tsx'
import { ConnectBanner } from './connect-banner.tsx'
import { connectWords } from './connect-words.ts'
import { type Connector, useConnecting } from './connecting.ts'
import { useAccounts, useSignupSettings } from './data.ts'
import { needsLook, stateOf, toneOf, worstFirst } from './standing.ts'
import type { Account } from './types.ts'
import { accountWords } from './words.ts'
import './accounts.css'

export function Page() {
  const { data, error, refetch } = useAccounts(false)
  if (data) return <Accounts accounts={worstFirst(data)} />
  return error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />
}

function Accounts({ accounts }: { accounts: Account[] }) {
  const words = useWords(accountWords)
  const said = useWords(connectWords)
  const format = useFormat()
  const { params } = usePlace()
  const connector = useConnecting(accounts)
  const settings = useSignupSettings()
  useDraining(connector, accounts)
  const missing = settings.data?.missing ?? []
  const needing = accounts.filter(needsLook).length
  // With one number there is nothing to choose; on a narrow screen it is opened all the same.
  const [only] = accounts
  const chosenId = params.id ?? (accounts.length === 1 ? only?.id : undefined)
  const chosen = accounts.find(({ id }) => id === chosenId)
  const all = format.number(accounts.length)
  return (
    <div className={`page accounts ${params.id ? 'has-chosen' : ''}`}>
      <header className="page-head accounts-head">
        <div>
          <h1>{words.title}</h1>
          {accounts.length > 0 && (
            <p>
              {needing === 0 ? words.allWork(all) : words.someNeed(format.number(needing), all)}
            </p>
          )}
        </div>
        {accounts.length > 0 && missing.length === 0 && (
          <div className="page-actions">
            <Button look="primary" icon="plus" onClick={() => connector.begin(null)}>
              {said.connect}
            </Button>
          </div>
        )}
      </header>
      {connector.now.kind === 'idle' ? (
        <WorstBanner
          worst={chosen && isStopped(chosen) ? chosen : only}
          chosenId={chosenId}
          connector={connector}
        />
      ) : (
        <ConnectBanner connector={connector} accounts={accounts} />
      )}
      {accounts.length === 0 ? (
        <NoAccounts missing={missing} connector={connector} />
      ) : (
        <div className={`accounts-panes ${chosenId ? 'two' : ''}`}>
          <AccountList accounts={accounts} chosenId={chosen?.id} />
          {chosen && <AccountCard key={chosen.id} account={chosen} connector={connector} />}
          {chosenId && !chosen && <NoSuchAccount />}
        </div>
      )}
    </div>
  )
}

/** While what waited goes out, it is looked at every second. */
function useDraining({ now }: Connector, accounts: Account[]): void {
  const done = now.kind === 'done' && accounts.find(({ id }) => id === now.accountId)
  useAccounts(done ? done.waiting_count > 0 : false)
}

/** Nothing is sent from it until somebody acts. */
const isStopped = (account: Account) => toneOf(stateOf(account)) === 'bad'

function WorstBanner({
  worst,
  chosenId,
  connector,
}: {
  worst: Account | undefined
  chosenId: string | undefined
  connector: Connector
}) {
  const words = useWords(accountWords)
  const said = useWords(connectWords)
  const format = useFormat()
  const { go } = usePlace()
  if (!worst) return null
  const state = stateOf(worst)
  if (!isStopped(worst)) return null
  const why = words.why[state as keyof typeof words.why]
  return (
    <div className="banner bad accounts-banner accounts-worst" role="alert">
      <Icon name="alert" size={20} />
      <div className="accounts-banner-words">
        <b className="strong">{words.bannerTitle(worst.display_phone_number)}</b>
        <p>
          {why} {worst.waiting_count > 0 && words.waits(format.number(worst.waiting_count))}
        </p>
      </div>
      {state === 'reconnect' ? (
        <Button look="primary" icon="link" onClick={() => connector.begin(worst)}>
          {said.reconnect}
        </Button>
      ) : (
        chosenId !== worst.id && (
          <Button onClick={() => go(`/accounts/${worst.id}`)}>{words.openDoctor}</Button>
        )
      )}
    </div>
  )
}

function NoAccounts({ missing, connector }: { missing: string[]; connector: Connector }) {
  const words = useWords(connectWords)
  if (missing.length > 0) {
    return (
      <section className="card">
        <div className="empty">
          <h2>{words.notSetUp}</h2>
          <p>{words.notSetUpText}</p>
          <ul className="accounts-missing">
            {missing.map((name) => (
              <li key={name}>
                <code className="mono">{name}</code>
              </li>
            ))}
          </ul>
        </div>
      </section>
    )
  }
  return (
    <section className="card">
      <Empty
        title={words.emptyTitle}
        actions={
          <Button look="primary" icon="plus" onClick={() => connector.begin(null)}>
            {words.connect}
          </Button>
        }
      >
        {words.emptyText}
      </Empty>
    </section>
  )
}

function NoSuchAccount() {
  const words = useWords(accountWords)
  return (
    <section className="card accounts-card">
      <Empty
        title={words.notFoundTitle}
        actions={<ViewLink to="/accounts">{words.toAll}</ViewLink>}
      >
        {words.notFoundText}
      </Empty>
    </section>
  )
}
