// From an update to the POSTs that carry it: alone or in a batch, and with whatever faults strike
// on the way (lost, spoilt, late, twice, in another order, in another batch).
import type { Background } from '../background.ts'
import type { FaultEngine, Struck } from '../faults/engine.ts'
import type { Opportunity } from '../faults/selectors.ts'
import type { Courier, WebhookTarget } from './courier.ts'
import { spoil } from './malformed.ts'
import { serializeLikeMeta } from './signing.ts'
import { envelope, maxBytesPerPost, maxUpdatesPerPost, type Update } from './updates.ts'

export interface Notifier {
  /** Resolves once the receiver had its first chance to answer; at once for what is held back. */
  notify(update: Update): Promise<void>
}

export interface NotifierOptions {
  background: Background
  courier: Courier
  faults: FaultEngine
  target: Pick<WebhookTarget, 'batchWindowMs'>
  /** Where an update goes; undefined: nowhere. Asked again for every retry. */
  urlOf(update: Update): string | undefined
}

export function createNotifier(options: NotifierOptions): Notifier {
  const { background, courier, faults, target, urlOf } = options
  const pools = createPools(background)

  async function post(updates: readonly Update[], faultIds: string[] = []): Promise<void> {
    const [first] = updates
    if (first === undefined) return
    const body = serializeLikeMeta(envelope(updates))
    if (body.length > maxBytesPerPost && updates.length > 1) {
      await Promise.all(halves(updates).map((half) => post(half, faultIds)))
      return
    }
    await courier.deliver({
      body,
      signature: 'right',
      retry: true,
      url: () => urlOf(first),
      items: updates.map(({ item }) => item),
      faults: faultIds,
    }).firstAttempt
  }

  /** In the order given: each leaves once the one before was answered. */
  async function postOneByOne(updates: readonly Update[], faultIds: string[]): Promise<void> {
    for (const update of updates) await post([update], faultIds)
  }

  function send(update: Update, faultIds: string[]): Promise<void> {
    if (target.batchWindowMs === 0) return post([update], faultIds)
    const key = `batch ${urlOf(update) ?? ''}`
    return pools.add(key, target.batchWindowMs, { update, faultIds }, maxUpdatesPerPost, (batch) =>
      post(
        batch.map((each) => each.update),
        [...new Set(batch.flatMap((each) => each.faultIds))],
      ),
    )
  }

  function sendSpoilt(update: Update, { id, rule }: Struck<'malformed'>): Promise<void> {
    const { body, signature } = spoil(update, rule.how)
    return courier.deliver({
      body,
      signature,
      retry: false,
      url: () => urlOf(update),
      items: [],
      faults: [id],
    }).firstAttempt
  }

  function repeat(update: Update, { id, rule }: Struck<'duplicate'>): void {
    for (let copy = 1; copy <= rule.times; copy++) {
      if (rule.gap === 0) void send(update, [id])
      else background.after(rule.gap * copy, () => send(update, [id]))
    }
  }

  return {
    async notify(update) {
      const chance = opportunityOf(update)
      const context = { wamid: update.item.wamid }
      if (faults.strike(['lose'], chance, context)) return
      const spoilt = faults.strike(['malformed'], chance, context)
      if (spoilt) await sendSpoilt(update, spoilt)
      if (spoilt?.rule.instead) return

      for (const { id, rule } of faults.strikes('late_redelivery', chance, context)) {
        background.later(rule.after, () => post([update], [id]))
      }
      const duplicates = faults.strikes('duplicate', chance, context)
      const rebatch = faults.strike(['rebatch'], chance, context)
      if (rebatch) {
        const { id, rule } = rebatch
        void pools.add(`rebatch ${id}`, rule.window, update, maxUpdatesPerPost, (batch) =>
          post(batch, [id]),
        )
        if (rule.instead) return
      }
      const reorder = faults.strike(['reorder'], chance, context)
      if (reorder) {
        const { id, rule, dice } = reorder
        const lot = dice.bytes(8).toString('hex')
        void pools.add(`reorder ${id}`, rule.window, { update, lot }, Infinity, (held) =>
          postOneByOne(reordered(held), [id]),
        )
      }
      const first = reorder ? Promise.resolve() : send(update, [])
      for (const duplicate of duplicates) repeat(update, duplicate)
      await first
    },
  }
}

function halves<T>(things: readonly T[]): [T[], T[]] {
  const middle = Math.ceil(things.length / 2)
  return [things.slice(0, middle), things.slice(middle)]
}

function opportunityOf({ item, waba_id, recipient }: Update): Opportunity {
  const { phone_number_id, kind, status, field } = item
  return { phone_number_id, waba_id, recipient, kind, status, field }
}

/** By the lots they drew, and never by chance left as they came. */
function reordered(held: readonly { update: Update; lot: string }[]): Update[] {
  const shuffled = held.toSorted((a, b) => (a.lot < b.lot ? -1 : 1))
  const isSame = shuffled.every((each, position) => each === held[position])
  return (isSame ? shuffled.reverse() : shuffled).map(({ update }) => update)
}

/** Things that wait for company: the first to come starts the time that all of them wait. */
function createPools(background: Background) {
  const open = new Map<string, { things: unknown[]; whenFlushed: Promise<void>; flush(): void }>()

  return {
    add<T>(
      key: string,
      windowMs: number,
      thing: T,
      limit: number,
      release: (things: T[]) => Promise<void>,
    ): Promise<void> {
      const known = open.get(key)
      if (known !== undefined) {
        known.things.push(thing)
        const { whenFlushed } = known
        if (known.things.length >= limit) known.flush()
        return whenFlushed
      }
      const things: T[] = [thing]
      let flush = () => {}
      const full = new Promise<void>((resolve) => {
        flush = resolve
      })
      const whenFlushed = Promise.race([background.wait(windowMs), full]).then((isDue) => {
        if (open.get(key)?.things === things) open.delete(key)
        return isDue === false ? undefined : release(things)
      })
      const pool = {
        things,
        whenFlushed,
        flush() {
          open.delete(key)
          flush()
        },
      }
      open.set(key, pool)
      background.run(whenFlushed)
      return whenFlushed
    },
  }
}
