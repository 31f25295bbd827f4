// The page in one sentence, and one more on what waits and what makes it go.
import type { Format } from '../../words/format.ts'
import type { sentenceWords } from './sentence-words.ts'
import type { Health, TenantCounts, Trouble } from './types.ts'

type Words = (typeof sentenceWords)['en']

export interface Told {
  tone: 'ok' | 'warn' | 'bad'
  title: string
  text: string
}

interface Speech {
  words: Words
  format: Format
  /** Undefined: the reader's own. */
  nameOf(tenantId: string): string | undefined
}

export function tell(health: Health, speech: Speech): Told {
  const { status, troubles } = health
  const clauses = troubles.map((trouble) => clauseOf(trouble, health, speech))
  const head = speech.words.heads[status]
  return {
    tone: status === 'ok' ? 'ok' : status === 'down' ? 'bad' : 'warn',
    title: clauses.length === 0 ? head : `${head} ${sentenceOf(clauses)}`,
    text: explain(health, speech).join(' '),
  }
}

function clauseOf({ code, count, seconds }: Trouble, health: Health, speech: Speech): string {
  const { words, format } = speech
  const length = format.length((seconds ?? 0) * 1000)
  const say = words.troubles
  switch (code) {
    case 'webhook_waits':
    case 'webhook_retried':
    case 'send_waits':
      return say[code](length)
    case 'numbers_failing':
      return count < health.numbers_count ? say[code](count) : say.all_failing
    case 'reauth_needed':
      return say[code](count)
    case 'dead_letters':
      return health.tenants ? say.dead_letters(count) : say.own_dead_letters
    default:
      return say[code]
  }
}

/** `one thing, another` → `One thing, another.` */
function sentenceOf(clauses: string[]): string {
  const text = clauses.join(', ')
  return `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}.`
}

const stateCount = ({ sends_by_state }: Pick<TenantCounts, 'sends_by_state'>, state: string) =>
  sends_by_state[state]?.count ?? 0

/** How many of whom wait, and for what. */
function explain(health: Health, { words, format, nameOf }: Speech): string[] {
  const mustReconnect = new Set(health.accounts_needing_reauth.map((one) => one.tenant_id))
  // For a tenant, the one of whom all of this is.
  const own = { ...health, tenant_id: health.accounts_needing_reauth[0]?.tenant_id ?? '' }
  const tenants: Pick<TenantCounts, 'tenant_id' | 'sends_by_state'>[] = health.tenants ?? [own]
  const isLost = ({ tenant_id }: { tenant_id: string }) => mustReconnect.has(tenant_id)
  const groups = [
    { say: words.waits.meta, state: 'circuit_open', of: tenants },
    { say: words.waits.reconnect, state: 'parked', of: tenants.filter(isLost) },
    { say: words.waits.parked, state: 'parked', of: tenants.filter((one) => !isLost(one)) },
    { say: words.waits.throttled, state: 'throttled', of: tenants },
    { say: words.waits.retried, state: 'retry_wait', of: tenants },
  ]
  const held = groups.flatMap(({ say, state, of }) => {
    const concerned = of.filter((one) => stateCount(one, state) > 0)
    const [first, second] = concerned
    if (!first) return []
    const count = concerned.reduce((sum, one) => sum + stateCount(one, state), 0)
    const whose = second
      ? words.ofTenants(concerned.length)
      : health.tenants && words.ofTenant(nameOf(first.tenant_id) ?? '')
    const what = words.messages(count, format.number(count))
    return [say(what, whose ? ` ${whose}` : '', count === 1)]
  })
  const { oldest_pending_seconds: oldest, dlq_count: letters } = health
  if (letters > 0) held.push(words.letters(letters, format.number(letters)))
  const rest =
    oldest === null
      ? held.length > 0
        ? words.nothingElseWaits
        : words.nothingWaits
      : words.nothingWaitsLonger(format.latency(Math.max(1, oldest) * 1000), held.length > 0)
  return [...held, rest]
}
