// Meta, many at a time: unique messages, sometimes several in one delivery, and a record of what was answered. The record
// is the test's own, so that the gateway is never asked whether it was right.
import { seed } from './chance.ts'
import { bytesOf } from './gateway.ts'
import { payload, textMessage } from './payloads.ts'
import { deliverTo } from './program.ts'
import { seeded } from './seeded.ts'

/** `usual` unless `SEED` names another. For runs whose own seed is committed beside them; the others take `seed` of chance.ts. */
export function chooseSeed(usual = seed): number {
  // biome-ignore lint/style/noProcessEnv: a person repeats a failed run with it.
  return Number(process.env.SEED ?? usual)
}

export interface LoadOptions {
  seed: number
  /** Where to deliver next; undefined while nobody is there. */
  target: () => string | undefined
  inFlight?: number
}

export interface Load {
  /** The wamids that were in a delivery answered with 200, and all that were ever sent. */
  acknowledged: Set<string>
  sent: Set<string>
  /** How often each status was answered. */
  answers: Map<number, number>
  /** How many answers came from each address. */
  answeredBy: Map<string, number>
  /** Deliveries that ended without an answer, and why. */
  broken: { url: string; code: string }[]
  /** Waits for what is under way. */
  stop(): Promise<void>
}

/** Delivers until it is stopped. What was not acknowledged is sent again half of the time, as Meta would always do. */
export function startLoad({ seed, target, inFlight = 16 }: LoadOptions): Load {
  const fraction = seeded(seed)
  const load = {
    acknowledged: new Set<string>(),
    sent: new Set<string>(),
    answers: new Map<number, number>(),
    answeredBy: new Map<string, number>(),
    broken: [] as Load['broken'],
  }
  let isStopping = false

  function makeDelivery() {
    const count = fraction() < 0.7 ? 1 : 1 + Math.floor(fraction() * 5)
    const first = load.sent.size
    const wamids = Array.from({ length: count }, (_, index) => `wamid.${seed}-${first + index}`)
    for (const wamid of wamids) load.sent.add(wamid)
    const from = () => String(16505550100 + Math.floor(fraction() * 20))
    const messages = wamids.map((wamid) => textMessage(wamid, 'load', { from: from() }))
    return { wamids, raw: bytesOf(payload({ messages })) }
  }
  async function deliverOnce({ wamids, raw }: ReturnType<typeof makeDelivery>): Promise<boolean> {
    const url = target()
    if (url === undefined) return false
    try {
      const { status } = await deliverTo(url, raw)
      load.answers.set(status, (load.answers.get(status) ?? 0) + 1)
      load.answeredBy.set(url, (load.answeredBy.get(url) ?? 0) + 1)
      if (status !== 200) return false
      for (const wamid of wamids) load.acknowledged.add(wamid)
      return true
    } catch (error) {
      const { cause, name } = error as Error & { cause?: { code?: string } }
      load.broken.push({ url, code: cause?.code ?? name })
      return false
    }
  }
  async function deliverOneAfterAnother(): Promise<void> {
    while (!isStopping) {
      const delivery = makeDelivery()
      while (!(await deliverOnce(delivery)) && !isStopping) {
        // The server is away: no reason to spin.
        await new Promise((resolve) => setTimeout(resolve, 10))
        if (target() !== undefined && fraction() < 0.5) break
      }
    }
  }
  const running = Array.from({ length: inFlight }, deliverOneAfterAnother)
  return {
    ...load,
    async stop() {
      isStopping = true
      await Promise.all(running)
    },
  }
}

export interface Ledger {
  acknowledged: Iterable<string>
  sent: Set<string>
}

/** What a run did wrong, from its record and the messages that are there. Empty: nothing. */
export function findFaults({ acknowledged, sent }: Ledger, stored: string[]): string[] {
  const counts = new Map<string, number>()
  for (const wamid of stored) counts.set(wamid, (counts.get(wamid) ?? 0) + 1)
  return [
    ...[...acknowledged].filter((wamid) => !counts.has(wamid)).map((wamid) => `lost ${wamid}`),
    ...[...counts].filter(([, count]) => count > 1).map(([wamid]) => `doubled ${wamid}`),
    ...[...counts.keys()].filter((wamid) => !sent.has(wamid)).map((wamid) => `invented ${wamid}`),
  ]
}
