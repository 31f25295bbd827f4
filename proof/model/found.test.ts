// What the model found, told again to Postgres: each of these stories ended badly once.
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import type { Command } from './commands.ts'
import { type Pair, startPair } from './compare.ts'
import { answerKinds } from './meta.ts'
import type { Tools } from './postgres-setup.ts'
import { startVirtualDb } from './postgres-setup.ts'
import type { Step } from './state.ts'

let db: Db
let tools: Tools

beforeAll(async () => {
  ;({ db, tools } = await startVirtualDb())
})

const enqueue: Command = {
  kind: 'enqueue',
  number: 0,
  contact: 0,
  isOnce: false,
  hasFallback: false,
  delayMs: 0,
}
const claim: Command = { kind: 'claim', worker: 0, limit: 100 }
const wait = (seconds: number): Command => ({ kind: 'advance', ms: seconds * 1000 })
const answerNamed = (name: string) => answerKinds.findIndex((kind) => kind.name === name)

async function send(pair: Pair, attempt: number, answer: string) {
  await pair.run({ kind: 'look', attempt, fraction: 0 })
  await pair.run({ kind: 'post', attempt, answer: answerNamed(answer) })
  return pair.run({ kind: 'settle', attempt, fraction: 0 })
}

/** A status of the first attempt. */
async function hear(pair: Pair, status: Step, isNamed: boolean, code: number | null = null) {
  const event = { number: 0, wamid: 'wamid.1', attempt: 1, status, code, isNamed }
  await pair.run({ kind: 'tell', event })
  return pair.run({ kind: 'process', index: 0, isCutShort: false })
}

test('I6: a step that came before anything named its message is joined when a proof names it', async () => {
  const pair = await startPair(db, tools, 'deep')
  await pair.run(enqueue)
  await pair.run(claim)
  await send(pair, 1, 'accepted, answer lost')
  await hear(pair, 'played', false)
  const { messages, rows } = await hear(pair, 'read', true)

  expect(messages).toEqual([['played', 'wamid.1', 1, false]])
  expect(rows[0]).toContain('done')
})

test('a message whose attempt failed while another was under way is not forgotten when that one’s worker dies', async () => {
  const pair = await startPair(db, tools, 'deep')
  await pair.run(enqueue)
  await pair.run(claim)
  await send(pair, 1, 'accepted, answer lost')
  await pair.run(wait(61))
  await pair.run(claim)
  await hear(pair, 'failed', true, 131026)
  await pair.run({ kind: 'die', worker: 0 })
  await pair.run(wait(16))
  await pair.run({ kind: 'reap' })
  await pair.run(wait(61))
  await pair.run(claim)
  const { messages, letters } = await send(pair, 3, 'accepted')

  expect(messages).toEqual([['failed', 'wamid.1', 1, false]])
  expect(letters).toEqual([[1, 'outbound', 'open']])
})

test('a letter that was resolved because Meta has the message is open again when Meta gives it up', async () => {
  const pair = await startPair(db, tools, 'deep')
  await pair.run({ ...enqueue, isOnce: true })
  await pair.run(claim)
  await send(pair, 1, 'accepted, answer lost')
  await pair.run(wait(61))
  await pair.run(claim)
  expect((await send(pair, 2, 'accepted')).letters).toEqual([[1, 'unknown', 'open']])
  expect((await hear(pair, 'sent', true)).letters).toEqual([[1, 'unknown', 'resolved']])
  const { messages, letters } = await hear(pair, 'failed', true, 131026)

  expect(messages).toEqual([['failed', 'wamid.1', 1, false]])
  expect(letters).toEqual([[1, 'outbound', 'open']])
})

test.each([false, true])(
  'I6: a message that was read is not failed by a refusal of the next attempt; failed on another device: %s',
  async (isFailedToo) => {
    const pair = await startPair(db, tools, 'deep')
    await pair.run({ ...enqueue, isOnce: true })
    await pair.run(claim)
    await send(pair, 1, 'accepted, answer lost')
    await pair.run(wait(61))
    await pair.run(claim)
    await send(pair, 2, 'accepted')
    await pair.run({ kind: 'requeue', letter: 1 })
    await pair.run(claim)
    await pair.run({ kind: 'look', attempt: 3, fraction: 0 })
    await pair.run({ kind: 'post', attempt: 3, answer: answerNamed('no such template') })
    await hear(pair, 'read', true)
    if (isFailedToo) await hear(pair, 'failed', true, 131026)
    const { messages } = await pair.run({ kind: 'settle', attempt: 3, fraction: 0 })

    expect(messages).toEqual([['read', 'wamid.1', 2, false]])
  },
)

test('I15: whoever comes after a trial keeps the pace, however late the trial was posted', async () => {
  const pair = await startPair(db, tools, 'weather')
  for (const contact of [0, 1, 0]) await pair.run({ ...enqueue, number: 1, contact })
  await pair.run(claim)
  await send(pair, 1, 'not reached')
  await pair.run(wait(1))
  await pair.run(claim)
  await send(pair, 2, 'not reached')
  await pair.run(wait(302))
  await pair.run(claim)
  expect(pair.state.numbers[1]?.isOpen).toBe(true)
  // It is posted a second after its claim.
  await pair.run(wait(1))
  await send(pair, 3, 'accepted')
  const postedAt = pair.state.now
  expect(pair.state.numbers[1]?.isOpen).toBe(false)
  await pair.run(claim)

  const slots = pair.state.jobs.map((job) => job.slot ?? 0)
  for (const slot of slots) expect(slot).toBeGreaterThanOrEqual(postedAt + 525)
})
