// The evidence of a run, gathered from outside, and every invariant held against it.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Canary } from '../../test/support/canaries.ts'
import { until } from '../../test/support/program.ts'
import { checkEverything } from '../checks/check.ts'
import { checkConsent, gatherWords } from '../checks/consent.ts'
import { checkDeaths } from '../checks/deaths.ts'
import { checkDoubles, gatherTiming, type Timing } from '../checks/doubles.ts'
import { type ClientLog as Client, type Evidence, gatherEvidence } from '../checks/evidence.ts'
import { checkCaps, checkHolds, checkRates } from '../checks/pace.ts'
import {
  checkMetrics,
  checkOutputs,
  checkOwners,
  checkRows,
  gatherOwners,
} from '../checks/strangers.ts'
import { type ClientLog, intentText } from './client-log.ts'
import type { Drained } from './drain.ts'
import { retryAfterSeconds } from './faults.ts'
import type { Place } from './place.ts'
import type { Member } from './processes.ts'

export interface Verdict {
  violations: string[]
  excusedDoubles: string[]
  evidence: Evidence
  timing: Timing
  /** Deaths at crash points, by label. */
  crashes: Record<string, number>
}

export async function judge(place: Place, log: ClientLog, drained: Drained): Promise<Verdict> {
  const { postgres, simulator, firms, members, receiver, terms } = place
  const ledger = simulator.ledger()
  const client = clientOf(place, log, ledger)
  const evidence = await gatherEvidence(postgres.db, { ledger, client, mayDouble: true })
  const timing = await gatherTiming(postgres.db)
  const outages = [...members.flatMap((member) => member.outages), ...place.stalls]
  const { reconcileSeconds } = terms
  const doubles = checkDoubles(evidence, timing, { reconcileSeconds, outages })
  const numbers = new Map(
    firms.flatMap(({ tenantId, lines }) => lines.map((one) => [one.phoneNumberId, tenantId])),
  )
  const told = receiver.told.map(({ firm, tenantId, phoneNumberId }) => {
    return { heardBy: firms[firm]?.tenantId ?? '', tenantId, phoneNumberId }
  })
  const lines = firms.flatMap((firm) => firm.lines)
  const pace = {
    ...{ cap: terms.cap, stalls: place.stalls },
    paces: new Map(lines.map((one) => [one.phoneNumberId, one.perSecond])),
  }
  const tokens = simulator.tokens().map(({ access_token }) => ({
    ...{ what: 'access token', text: access_token },
  }))
  const violations = [
    ...drained.left.map((one) => `L1: not ended in time: ${one}`),
    ...log.complaints.map((one) => `an application was answered wrongly: ${one}`),
    ...members.flatMap(({ surprises }) => surprises.map((one) => `a process broke: ${one}`)),
    ...checkEverything(evidence),
    ...doubles.violations,
    ...checkDeaths(evidence, timing),
    ...checkConsent(evidence, timing, await gatherWords(postgres.db), outages),
    ...checkRates(evidence, pace),
    ...checkCaps(evidence, timing, pace),
    ...checkHolds(evidence, timing, retryAfterSeconds),
    ...checkLetters(evidence, log, ledger),
    ...checkOwners({
      ...{ rows: await gatherOwners(postgres.db), told, numbers },
      through: throughOf(log, ledger),
    }),
    ...(await checkOutputs(
      [...place.canaries, ...tokens],
      members.flatMap(({ outputs }) => outputs),
    )),
    ...(await checkRows(postgres.db, [...place.secrets, ...tokens])),
    ...(await checkAllMetrics(members, [...place.canaries, ...tokens])),
  ]
  return {
    violations,
    excusedDoubles: doubles.excused,
    evidence,
    timing,
    crashes: await crashesOf(place),
  }
}

async function checkAllMetrics(members: Member[], canaries: Canary[]): Promise<string[]> {
  const found = members.map(async (member) => {
    // Who was started only just now gets its time to listen.
    const look = () =>
      checkMetrics(canaries, `http://127.0.0.1:${member.port()}`).catch(() => undefined)
    return until(`${member.name} tells its metrics`, look).catch((error: Error) => [error.message])
  })
  return (await Promise.all(found)).flat()
}

/** What went through which number, by its name at Meta: both those who wrote and Meta itself know. */
export function throughOf(
  log: Pick<ClientLog, 'written' | 'ownDeliveries'>,
  ledger: Pick<Evidence['ledger'], 'sends' | 'deliveries'>,
): Map<string, string> {
  const written = [...log.written, ...log.ownDeliveries.flatMap(({ messages }) => messages)]
  const atMeta = [...ledger.deliveries.flatMap(({ items }) => items), ...ledger.sends]
  return new Map([
    ...atMeta.flatMap(({ wamid, phone_number_id }): [string, string][] =>
      wamid === null || phone_number_id === null ? [] : [[wamid, phone_number_id]],
    ),
    ...written.map(({ wamid, phoneNumberId }): [string, string] => [wamid, phoneNumberId]),
  ])
}

/** As the checks want to have it. */
function clientOf(place: Place, log: ClientLog, ledger: Evidence['ledger']): Client {
  const acknowledged = new Set(
    ledger.deliveries.flatMap(({ id, state }) => (state === 'delivered' ? id : [])),
  )
  const [text] = place.canaries
  const own = log.ownDeliveries.flatMap(({ messages }) => messages)
  return {
    written: [...log.written, ...own],
    webhooks: log.ownDeliveries.flatMap(({ deliveryId, messages }) =>
      messages.map(({ wamid }) => ({ wamid, isAcknowledged: acknowledged.has(deliveryId) })),
    ),
    sends: log.intents.map(({ id, phoneNumberId, to, messageId }) => ({
      ...{ text: intentText(id, text?.text ?? ''), phoneNumberId, to },
      isAccepted: messageId !== null,
    })),
    decisions: log.decisions,
    events: place.receiver.told.map(({ eventId }) => ({ id: eventId })),
  }
}

/** What cannot be applied is a dead letter, each once; what can is none. */
export function checkLetters(
  { rows }: Pick<Evidence, 'rows'>,
  log: Pick<ClientLog, 'ownDeliveries'>,
  ledger: Pick<Evidence['ledger'], 'deliveries'>,
): string[] {
  const acknowledged = new Set(
    ledger.deliveries.flatMap(({ id, state }) => (state === 'delivered' ? id : [])),
  )
  const about = new Map<string, number>()
  for (const { raw, state } of rows.letters) {
    const [mark] = /poison-\d+-\d+-\d+/.exec(raw) ?? []
    if (mark && state !== 'requeued') about.set(mark, (about.get(mark) ?? 0) + 1)
  }
  const planted = log.ownDeliveries.flatMap(({ deliveryId, poison }) =>
    acknowledged.has(deliveryId) ? poison : [],
  )
  return [
    ...planted
      .filter((mark) => about.get(mark) !== 1)
      .map((mark) => `I2: ${mark} is ${about.get(mark) ?? 0} dead letters`),
    ...rows.letters
      .filter(({ kind }) => kind === 'inbound')
      .map(({ id }) => `I2: ${id} holds something that could have been applied`),
  ]
}

async function crashesOf({ members }: Place): Promise<Record<string, number>> {
  const crashes: Record<string, number> = {}
  for (const { crashLog } of members) {
    if (!existsSync(crashLog)) continue
    for (const [, label = ''] of (await readFile(crashLog, 'utf8')).matchAll(/^died (.+)$/gm)) {
      crashes[label] = (crashes[label] ?? 0) + 1
    }
  }
  return crashes
}
