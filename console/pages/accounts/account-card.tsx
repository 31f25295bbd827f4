// One account: how it is from end to end, its limits, what answers by itself, who opted out, what Meta said.

import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { Tabs } from '../../parts/basics.tsx'
import { IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { usePaneHeading } from '../../parts/narrow.ts'
import { usePlace } from '../../shell/place.tsx'
import { useWords } from '../../words/language.tsx'
import { Answers } from './answers.tsx'
import { connectWords } from './connect-words.ts'
import type { Connector } from './connecting.ts'
import { Disconnect } from './disconnect.tsx'
import { Doctor } from './doctor.tsx'
import { Limits } from './limits.tsx'
import { OptedOut } from './opted-out.tsx'
import { Said } from './said.tsx'
import { nameOf } from './standing.ts'
import { StopWordList } from './stop-words.tsx'
import type { Account } from './types.ts'
import { accountWords } from './words.ts'

const tabs = ['doctor', 'limits', 'answers', 'stopped', 'said'] as const
type Tab = (typeof tabs)[number]

export function AccountCard({ account, connector }: { account: Account; connector: Connector }) {
  const words = useWords(accountWords)
  const { search, ask, go } = usePlace()
  const { show, q } = search
  const Heading = usePaneHeading()
  const tab: Tab = tabs.find((one) => one === search.tab) ?? 'doctor'
  return (
    <section className="card accounts-card" aria-label={words.tabsOf(account.display_phone_number)}>
      <div className="card-head accounts-card-head">
        <IconButton
          icon="back"
          label={words.toAll}
          className="accounts-back"
          onClick={() => go('/accounts', { show, q })}
        />
        <div className="accounts-card-name">
          <Heading className="num">{account.display_phone_number}</Heading>
          <div className="xs muted cut">{nameOf(account)}</div>
        </div>
        <CardActions account={account} connector={connector} />
      </div>
      <Tabs
        label={words.tabsOf(account.display_phone_number)}
        chosen={tab}
        choices={tabs.map((value) => ({ value, label: words.tabs[value] }))}
        onChoose={(value) => ask({ tab: value === 'doctor' ? undefined : value })}
      />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`} className="accounts-panel">
        {tab === 'doctor' && (
          <Doctor account={account} onReconnect={() => connector.begin(account)} />
        )}
        {tab === 'limits' && <Limits account={account} />}
        {tab === 'answers' && (
          <>
            <Answers account={account} />
            <StopWordList />
          </>
        )}
        {tab === 'stopped' && <OptedOut account={account} />}
        {tab === 'said' && <Said account={account} />}
      </div>
    </section>
  )
}

/** Reconnecting is always possible: an access that ends soon is renewed before it does. */
function CardActions({ account, connector }: { account: Account; connector: Connector }) {
  const words = useWords(accountWords)
  const said = useWords(connectWords)
  const { may } = useSession()
  const [isLeaving, setLeaving] = useState(false)
  return (
    <>
      <Menu
        label={words.more}
        button={(press) => <IconButton icon="more" label={words.more} {...press} />}
      >
        {(close) => (
          <>
            <MenuItem
              onClick={() => {
                close()
                connector.begin(account)
              }}
            >
              <Icon name="link" /> {said.reconnect}
            </MenuItem>
            {may('operator') && (
              <MenuItem
                className="danger"
                onClick={() => {
                  close()
                  setLeaving(true)
                }}
              >
                <Icon name="plug" /> {words.disconnect}
              </MenuItem>
            )}
          </>
        )}
      </Menu>
      {isLeaving && <Disconnect account={account} onClose={() => setLeaving(false)} />}
    </>
  )
}
