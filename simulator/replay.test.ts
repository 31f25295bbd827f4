// The promise of a seed: the same requests in the same order give the same run.
import { expect, test } from 'vitest'
import type { GraphRequest } from './ledger.ts'
import { eventually, type ManualClock, manualClock, pass, quiet } from './test-clock.ts'
import { clinic, shop, startScene, textTo } from './test-support.ts'

/** Some minutes of `storm`: sends, customers who write, a gateway that refuses some webhooks. */
async function run(seed: string, turns = 30) {
  const clock = manualClock()
  const scene = await startScene({
    clock,
    seed,
    statusDelaysMs: { sent: 130, delivered: 410, read: 970 },
    retryDelaysMs: [700, 2900],
    answer: ({ body }) => ({ status: body.includes('"status":"sent"') ? 500 : 200 }),
  })
  // A page of the ledger: to copy all of it for every look would take most of the time.
  const lastRequest = () => {
    const { total } = scene.simulator.ledgerPage('requests', { limit: 0 })
    const page = scene.simulator.ledgerPage('requests', { offset: Math.max(0, total - 1) })
    return page.data[0] as GraphRequest | undefined
  }

  async function send(turn: number): Promise<void> {
    const number = turn % 3 === 0 ? clinic : shop
    const giveUp = new AbortController()
    const before = lastRequest()?.id
    const sending = fetch(`${scene.simulator.url}/v25.0/${number.phone_number_id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${number.access_token}` },
      body: JSON.stringify(textTo(`+1650555${1000 + (turn % 7)}`, `message ${turn}`)),
      signal: giveUp.signal,
    })
      .then((answer) => answer.text())
      .catch(() => 'no answer')
    await eventually(() => {
      const request = lastRequest()
      return request?.id !== before && (request?.body !== null || request?.outcome !== 'open')
    })
    // Longer than the slowest answer; what is still open after that hangs.
    await pass(scene, clock, 6007)
    if (lastRequest()?.faults.some((rule) => rule.startsWith('hang'))) giveUp.abort()
    await sending
    await eventually(() => lastRequest()?.outcome !== 'open')
  }

  try {
    await scene.call('POST', '/simulator/scenario', { name: 'storm' })
    for (let turn = 0; turn < turns; turn++) {
      await send(turn)
      scene.simulator.customerWrites('5511955550199', {
        phone_number_id: shop.phone_number_id,
        type: 'text',
        text: `question ${turn}`,
      })
      await quiet(scene)
    }
    await pass(scene, clock, 60_000)
    const ledger = JSON.stringify(scene.simulator.ledger())
    // Only the port that the receiver happened to get differs.
    return JSON.parse(ledger.replaceAll(scene.receiver.url, 'http://receiver'))
  } finally {
    await scene.close()
  }
}

let known: ReturnType<typeof run> | undefined
/** Run once for all tests. */
const firstRun = () => {
  known ??= run('seed-1')
  return known
}

test('the same seed gives the same ledger, twice', async () => {
  const first = await firstRun()
  const second = await run('seed-1')

  expect(second).toEqual(first)
  // What was compared is a run in which much happened and much went wrong.
  const kinds = new Set(first.faults.map(({ fault }: { fault: string }) => fault))
  expect(kinds.size).toBeGreaterThan(8)
  expect(first.sends.length).toBeGreaterThan(20)
  expect(first.deliveries.length).toBeGreaterThan(60)
})

/** Without a clock: on the real one, where timers and sockets are served in an order that no test decides. With a clock no status
 *  comes before the last message was sent. */
async function hastyRun(clock?: ManualClock) {
  const scene = await startScene({
    seed: 'seed-1',
    ...(clock && { clock, statusDelaysMs: { sent: 17, delivered: 1, read: 40 } }),
  })
  const dice = { probability: 0.5 }
  const rules = [
    { fault: 'duplicate', ...dice },
    { fault: 'malformed', ...dice },
    { fault: 'throttle', probability: 0.2 },
    { fault: 'lose', probability: 0.1 },
    { fault: 'rebatch', ...dice, window: 5 },
    { fault: 'fail', probability: 0.3 },
  ]
  try {
    for (const rule of rules) await scene.call('POST', '/simulator/faults', rule)
    for (let message = 0; message < 20; message++) {
      await scene.send(textTo(`+1650555${1000 + (message % 7)}`, `message ${message}`))
      scene.simulator.customerWrites('5511955550199', {
        phone_number_id: shop.phone_number_id,
        type: 'text',
        text: `question ${message}`,
      })
    }
    if (clock) await pass(scene, clock, 1000)
    await scene.simulator.settled()
    const strikes = scene.simulator
      .ledger()
      .faults.map(({ rule_id, recipient, wamid, status }) =>
        [rule_id, recipient, wamid, status].join(' '),
      )
    return { inOrder: strikes, strikes: strikes.toSorted() }
  } finally {
    await scene.close()
  }
}

test('the same seed strikes the same, whatever is served first', async () => {
  const quick = await hastyRun()
  const slow = await hastyRun(manualClock())

  expect(slow.strikes).toEqual(quick.strikes)
  expect(slow.inOrder).not.toEqual(quick.inOrder)
  expect(quick.strikes.length).toBeGreaterThan(40)
})

test('another seed gives another', async () => {
  const [first, second] = [await firstRun(), await run('seed-2', 10)]

  const strikes = ({ faults }: { faults: { rule_id: string }[] }) =>
    faults.map(({ rule_id }) => rule_id).slice(0, 10)
  expect(strikes(second)).toHaveLength(10)
  expect(strikes(second)).not.toEqual(strikes(first))
  expect(second.sends[0].wamid).not.toBe(first.sends[0].wamid)
})
