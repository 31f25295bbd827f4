// People at their desks: they reconnect what lost its token, and decide on dead letters.
import { operatorKey } from '../../test/support/gateway.ts'
import type { ClientLog, Decision } from './client-log.ts'
import type { Firm, Place } from './place.ts'

const signUp = '/api/integrations/meta/whatsapp'

/** Signs in at Meta again for every number that waits for it; what fails is tried again the next time. */
export async function reconnectAll(place: Place): Promise<void> {
  for (const firm of place.firms) {
    const { client } = place
    const listed = await client.tryOnce('GET', '/api/whatsapp/accounts', { key: firm.key })
    const accounts: { id: string; auth_status: string }[] = listed?.json?.data ?? []
    const lost = accounts.find(({ auth_status }) => auth_status === 'needs_reauth')
    if (lost) await reconnect(place, firm, lost.id)
  }
}

async function reconnect(place: Place, firm: Firm, id: string): Promise<void> {
  const { client, simulator } = place
  const begun = await client.tryOnce('POST', `${signUp}/reconnect`, {
    key: firm.key,
    body: { account_id: id },
  })
  if (begun?.status !== 200) return
  const code = simulator.issueCode({ waba_ids: [firm.wabaId] })
  const query = new URLSearchParams({ state: begun.json.state, code })
  await client.tryOnce('GET', `${signUp}/callback?${query}`)
}

const verbs = { requeue: 'requeued', discard: 'discarded', 'mark-sent': 'resolved' } as const
type Verb = keyof typeof verbs

/** Looks at the dead letters, and decides on one. */
export async function decideOne(
  { client }: Place,
  log: ClientLog,
  dice: () => number,
): Promise<void> {
  const base = '/api/admin/whatsapp/dlq'
  const [which, how] = [dice(), dice()]
  const listed = await client.tryOnce('GET', `${base}?limit=50`, { key: operatorKey })
  const letters: { id: string; kind: string }[] = listed?.json?.data ?? []
  const letter = letters[Math.floor(which * letters.length)]
  // Most of them stay for later.
  if (!letter || letters.length < 5) return
  const verb = verbFor(letter.kind, how)
  const answer = await client.tryOnce('POST', `${base}/${letter.id}/${verb}`, {
    key: operatorKey,
    body: { reason: 'looked at' },
  })
  if (answer?.status !== 200) return
  const state: Decision['state'] = verbs[verb]
  log.decisions.push({ letterId: letter.id, state })
}

/** What may be with Meta is not sent again by hand: a person would double it. */
function verbFor(kind: string, chance: number): Verb {
  if (kind === 'unknown') return chance < 0.5 ? 'mark-sent' : 'discard'
  return chance < (kind === 'outbound' ? 0.6 : 0.2) ? 'requeue' : 'discard'
}
