// What every outside store must do, whatever it is; run by redis.db.test.ts and firestore.db.test.ts against real servers.
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Marks } from './marks.ts'

export interface MarksSubject {
  marks: Marks
  /** As if so much time had passed for the store. */
  letTimePass(ms: number): Promise<void>
  forgetAll(): Promise<void>
}

export const times = { commitMs: 60_000, postMs: 30_000, keepMs: 7 * 24 * 60 * 60 * 1000 }

export function marksConformance(subject: () => MarksSubject): void {
  const marks = () => subject().marks
  const states = (marked: { state: string }[], state: string) =>
    marked.filter((one) => one.state === state).length

  test('of fifty at once one is new, and the others are pending until it is confirmed', async () => {
    const key = randomUUID()

    const marked = await Promise.all(Array.from({ length: 50 }, () => marks().markIfNew([key])))
    const [before] = await marks().markIfNew([key])
    await marks().confirm([key])
    const [after] = await marks().markIfNew([key])

    expect(marked.flat().sort()).toEqual(['new', ...Array(49).fill('pending')])
    expect([before, after]).toEqual(['pending', 'done'])
  })

  test('many are marked together, each on its own; the same one twice is new once', async () => {
    const [old, one, two] = [randomUUID(), randomUUID(), randomUUID()]
    await marks().confirm([old])

    expect((await marks().markIfNew([one, old, two, two])).toSorted()).toEqual([
      'done',
      'new',
      'new',
      'pending',
    ])
    await marks().confirm([one, two])
    expect(await marks().markIfNew([two, one])).toEqual(['done', 'done'])
  })

  test('a mark whose commit never came is over after a while; a final one after its days', async () => {
    const [orphan, kept] = [randomUUID(), randomUUID()]
    await marks().markIfNew([orphan])
    await marks().confirm([kept])

    await subject().letTimePass(times.commitMs + 1_000)
    expect(await marks().markIfNew([orphan, kept])).toEqual(['new', 'done'])
    await subject().letTimePass(times.keepMs)
    expect(await marks().markIfNew([kept])).toEqual(['new'])
  })

  test('of fifty attempts at once one begins, and the others hear how long it may take', async () => {
    const key = randomUUID()

    const begun = await Promise.all(
      Array.from({ length: 50 }, (_, index) => marks().begin(key, `attempt-${index}`)),
    )

    expect([states(begun, 'begun'), states(begun, 'pending')]).toEqual([1, 49])
    for (const one of begun) {
      if (one.state === 'pending') expect(one.leftMs).toBeLessThanOrEqual(times.postMs)
    }
  })

  test('what was sent is not begun again, and its proof is handed out', async () => {
    const key = randomUUID()
    const place = await beginAt(key, 'first')

    await marks().finishSent(place, 'first', 'v1.k1.proof/of+it==')

    const proof = { state: 'sent', proof: 'v1.k1.proof/of+it==' }
    expect(await marks().begin(key, 'second')).toEqual(proof)
    expect(await marks().begin(key, 'first')).toEqual(proof)
  })

  test('what failed is begun again; the same attempt may ask twice', async () => {
    const key = randomUUID()
    await marks().finishFailed(await beginAt(key, 'first'), 'first')

    const begun = await marks().begin(key, 'second')

    expect(begun.state).toBe('begun')
    expect(await marks().begin(key, 'second')).toEqual(begun)
    expect(await marks().begin(key, 'third')).toMatchObject({ state: 'pending' })
  })

  test('an attempt that died is taken over by one of fifty once its time is over, and ends nothing any more', async () => {
    const key = randomUUID()
    const dead = await beginAt(key, 'dead')
    expect(await marks().begin(key, 'early')).toMatchObject({ state: 'pending' })

    await subject().letTimePass(times.postMs + 1_000)
    const begun = await Promise.all(
      Array.from({ length: 50 }, (_, index) => marks().begin(key, `heir-${index}`)),
    )
    expect(states(begun, 'begun')).toBe(1)

    await marks().finishFailed(dead, 'dead')
    expect(await marks().begin(key, 'next')).toMatchObject({ state: 'pending' })
    await marks().finishSent(dead, 'dead', 'late')
    expect(await marks().begin(key, 'next')).toEqual({ state: 'sent', proof: 'late' })
  })

  test('fails and is tried again as often as need be', async () => {
    const key = randomUUID()
    for (let attempt = 0; attempt < 4; attempt++) {
      await marks().finishFailed(await beginAt(key, `attempt-${attempt}`), `attempt-${attempt}`)
    }
    await marks().finishSent(await beginAt(key, 'last'), 'last', 'proof')
    expect(await marks().begin(key, 'one more')).toEqual({ state: 'sent', proof: 'proof' })
  })

  test('forgets everything when it is told to, and goes on', async () => {
    const [event, send] = [randomUUID(), randomUUID()]
    await marks().confirm([event])
    const place = await beginAt(send, 'first')

    await subject().forgetAll()

    expect(await marks().markIfNew([event])).toEqual(['new'])
    await marks().finishSent(place, 'first', 'proof')
    expect(await marks().begin(send, 'second')).toEqual({ state: 'sent', proof: 'proof' })
  })

  async function beginAt(key: string, attempt: string): Promise<string> {
    const begun = await marks().begin(key, attempt)
    if (begun.state !== 'begun') throw new Error(`it was ${begun.state}`)
    return begun.place
  }
}
