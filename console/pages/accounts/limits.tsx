// What is known of a number, fact by fact. Its access is described, never shown.
import { Copy } from '../../parts/copy.tsx'
import { Time, useNow } from '../../parts/time.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { factWords } from './fact-words.ts'
import { limitOf, nameOf, qualityOf, speedOf } from './standing.ts'
import type { Account } from './types.ts'
import { accountWords } from './words.ts'

export function Limits({ account }: { account: Account }) {
  const words = useWords(factWords)
  const said = useWords(accountWords)
  const format = useFormat()
  const now = useNow()
  const quality = qualityOf(account)
  const limit = limitOf(account)
  const { token_expires_at: expires, circuit } = account
  const unknown = <span className="muted">{said.unknown}</span>
  return (
    <dl className="facts accounts-facts">
      <dt>{words.name}</dt>
      <dd>{nameOf(account) ?? unknown}</dd>
      <dt>{words.quality}</dt>
      <dd>{quality ? said.qualities[quality] : unknown}</dd>
      <dt>{words.limit}</dt>
      <dd>
        {limit === undefined
          ? unknown
          : limit === Number.POSITIVE_INFINITY
            ? said.unlimited
            : words.limitText(format.number(limit))}
      </dd>
      <dt>{words.speed}</dt>
      <dd>
        {words.speedText(format.number(speedOf(account)))}
        {account.throughput_level === 'coexistence' && `, ${words.coexistence}`}
      </dd>
      <dt>{words.access}</dt>
      <dd className={account.auth_status === 'ok' && !account.token_expires_soon ? '' : 'warn'}>
        {account.auth_status !== 'ok'
          ? words.accessBad
          : expires
            ? words.accessUntil(format.until(expires, now))
            : words.accessOk}
      </dd>
      <dt>{words.checked}</dt>
      <dd>{account.token_checked_at ? <Time at={account.token_checked_at} /> : said.never}</dd>
      <dt>{words.templates}</dt>
      <dd className={account.templates_auth_status === 'ok' ? '' : 'warn'}>
        {account.templates_auth_status === 'ok' ? words.templatesOk : words.templatesBad}
      </dd>
      <dt>{words.waiting}</dt>
      <dd className="num">{format.number(account.waiting_count)}</dd>
      <dt>{words.circuit}</dt>
      <dd className={circuit ? 'warn' : ''}>
        {circuit === null
          ? words.circuitClosed
          : circuit.scope === 'host'
            ? words.circuitHost
            : words.circuitNumber}
      </dd>
      <dt>{words.inbound}</dt>
      <dd>{account.last_inbound_at ? <Time at={account.last_inbound_at} /> : said.never}</dd>
      <dt>{words.connected}</dt>
      <dd>
        <Time at={account.created_at} />
      </dd>
      <dt>{words.phone}</dt>
      <dd>
        <Copy text={account.phone_number_id} />
      </dd>
      <dt>{words.waba}</dt>
      <dd>
        <Copy text={account.waba_id} />
      </dd>
      <dt>{words.id}</dt>
      <dd>
        <Copy text={account.id} />
      </dd>
    </dl>
  )
}
