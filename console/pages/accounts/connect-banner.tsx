// What is happening to a number that is being connected, over the list: one sentence, and what can be done.

import type { ReactNode } from 'react'
import { useState } from 'react'
import { toProblem } from '../../api/problem.ts'
import { Button } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { useProblemText } from '../../parts/states.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { connectWords } from './connect-words.ts'
import type { Connecting, Connector } from './connecting.ts'
import type { Account } from './types.ts'

function Banner({
  tone,
  icon,
  title,
  children,
  actions,
}: {
  tone: 'bad' | 'info' | 'warn' | 'ok'
  icon: IconName
  title: string
  children: ReactNode
  actions: ReactNode
}) {
  return (
    <div className={`banner accounts-banner ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      <Icon name={icon} size={20} />
      <div className="accounts-banner-words">
        <b className="strong">{title}</b>
        <p>{children}</p>
      </div>
      <div className="row wrap">{actions}</div>
    </div>
  )
}

export function ConnectBanner({
  connector,
  accounts,
}: {
  connector: Connector
  accounts: Account[]
}) {
  const words = useWords(connectWords)
  const problemText = useProblemText()
  const { now, begin, stop } = connector
  const dismiss = <Button onClick={stop}>{words.dismiss}</Button>
  const again = (account: Account | null) => (
    <>
      <Button look="primary" onClick={() => begin(account)}>
        {words.tryAgain}
      </Button>
      {dismiss}
    </>
  )
  switch (now.kind) {
    case 'idle':
      return null
    case 'starting':
      return (
        <Banner tone="info" icon="link" title={words.starting} actions={null}>
          {words.waitingText}
        </Banner>
      )
    case 'waiting':
      return <Waiting now={now} onStop={stop} />
    case 'closed':
      return (
        <Banner tone="warn" icon="info" title={words.closedTitle} actions={again(now.account)}>
          {words.closedText}
        </Banner>
      )
    case 'refused':
      return (
        <Banner tone="bad" icon="alert" title={now.title} actions={again(now.account)}>
          {now.text} <span className="mono muted">{now.small}</span>
        </Banner>
      )
    case 'failed': {
      const { code, requestId, details } = toProblem(now.error)
      const missing = (details.missing as string[] | undefined)?.join(', ')
      const title = code === 'SIGNUP_NOT_CONFIGURED' ? words.notSetUp : problemText(now.error)
      return (
        <Banner tone="bad" icon="alert" title={title} actions={again(now.account)}>
          {missing && `${words.notSetUpText} ${missing} `}
          <span className="mono muted">
            {code} {requestId && `· ${requestId}`}
          </span>
        </Banner>
      )
    }
    case 'elsewhere':
      return (
        <Banner
          tone="warn"
          icon="info"
          title={words.elsewhereTitle}
          actions={
            <>
              <a className="btn primary" href={now.address}>
                {words.openThere}
              </a>
              {dismiss}
            </>
          }
        >
          {words.elsewhereText}
        </Banner>
      )
    case 'done':
      return (
        <Done now={now} account={accounts.find(({ id }) => id === now.accountId)} onStop={stop} />
      )
  }
}

function Waiting({
  now,
  onStop,
}: {
  now: Extract<Connecting, { kind: 'waiting' }>
  onStop(): void
}) {
  const words = useWords(connectWords)
  const [isOpened, setOpened] = useState(false)
  const isBlocked = !now.hasWindow && !isOpened
  const title = isBlocked
    ? words.blockedTitle
    : now.account
      ? words.waitingTitle(now.account.display_phone_number)
      : words.waitingNewTitle
  return (
    <Banner
      tone={isBlocked ? 'warn' : 'info'}
      icon="link"
      title={title}
      actions={
        <>
          {!now.hasWindow && (
            <a
              className={`btn ${isBlocked ? 'primary' : ''}`}
              href={now.address}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => setOpened(true)}
            >
              <Icon name="external" /> {words.openWindow}
            </a>
          )}
          <Button onClick={onStop}>{words.stopWaiting}</Button>
        </>
      }
    >
      {isBlocked ? words.blockedText : words.waitingText}
    </Banner>
  )
}

/** What waited for it goes out now, and is counted down. */
function Done({
  now,
  account,
  onStop,
}: {
  now: Extract<Connecting, { kind: 'done' }>
  account: Account | undefined
  onStop(): void
}) {
  const words = useWords(connectWords)
  const format = useFormat()
  if (!account) return null
  const left = account.waiting_count
  const waited = format.number(now.waited)
  return (
    <Banner
      tone="ok"
      icon="check"
      title={words.doneTitle(account.display_phone_number)}
      actions={<Button onClick={onStop}>{words.dismiss}</Button>}
    >
      {words.doneText}{' '}
      {now.waited > 0 && (left > 0 ? words.draining(waited) : words.drained(waited))}{' '}
      {now.waited > 0 && left > 0 && left < now.waited && words.stillWaiting(format.number(left))}
    </Banner>
  )
}
