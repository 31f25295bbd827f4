import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { createManualClock, settled } from '../../test/support/manual-clock.ts'
import { createDatabaseTime } from './database-time.ts'
import { awaitSlot, mostLateMs, shortMs } from './slot.ts'

/** The database's clock is ahead of ours by this much. */
const ahead = 1_000_000

/**
 * One turn that is waited for, on a clock of its own. The database gave out `slotMs` at 0 and was heard `heardMs` later;
 * what comes before the wait takes until `startMs`. Each time it is asked again it takes `answersMs` to say something.
 */
async function takeTurn(options: {
  slotMs: number | null
  heardMs?: number
  startMs?: number
  answersMs?: number[]
  isHeld?: boolean
}) {
  const { slotMs, heardMs = 0, startMs = heardMs, answersMs = [], isHeld = false } = options
  const clock = createManualClock()
  const time = createDatabaseTime()
  time.note(ahead, 0, heardMs)
  clock.advance(startMs)
  const asked: string[] = []
  let [slot, pacedUntil] = [slotMs, (slotMs ?? 0) + 10]
  let promptestMs = heardMs
  const answerAfter = async () => {
    const afterMs = answersMs.shift() ?? 0
    if (afterMs > 0) await new Promise<void>((resolve) => void clock.after(afterMs, resolve))
    return afterMs
  }
  const turn = { may: undefined as boolean | undefined, atMs: 0 }
  const waiting = awaitSlot(clock, time, slotMs === null ? null : ahead + slotMs, {
    isFree: async () => {
      asked.push('is free')
      await answerAfter()
      return !isHeld
    },
    take: async (leadMs) => {
      asked.push('take')
      const askedMs = clock.monotonicMs()
      if (isHeld) return null
      slot = Math.max(pacedUntil, askedMs + leadMs)
      pacedUntil = slot + 10
      promptestMs = Math.min(promptestMs, await answerAfter())
      time.note(ahead + askedMs, askedMs, clock.monotonicMs())
      return ahead + slot
    },
  }).then((may) => {
    turn.may = may
    turn.atMs = clock.monotonicMs()
  })
  for (let waited = 0; turn.may === undefined && waited < 20_000; waited++) {
    await settled()
    if (turn.may === undefined) clock.advance(1)
  }
  await waiting
  return { may: turn.may, atMs: turn.atMs, slotMs: slot ?? 0, asked, promptestMs }
}

describe('the moment to post', () => {
  test('is now where nobody paces it, however long ago it was claimed', async () => {
    expect(await takeTurn({ slotMs: null, startMs: 5_000 })).toMatchObject({
      may: true,
      atMs: 5_000,
      asked: [],
    })
  })

  test('is waited for, and after a short wait nobody is asked', async () => {
    expect(await takeTurn({ slotMs: 15 })).toMatchObject({ may: true, atMs: 15, asked: [] })
  })

  test('before the end of a long wait it is asked whether the number was held meanwhile', async () => {
    const free = await takeTurn({ slotMs: 150, answersMs: [5] })
    expect(free).toMatchObject({ may: true, atMs: 150, asked: ['is free'] })
    const held = await takeTurn({ slotMs: 150, isHeld: true })
    expect(held).toMatchObject({ may: false, atMs: 150 - shortMs })
  })

  test('one that is a little late is kept, one that is missed is exchanged for another', async () => {
    expect(await takeTurn({ slotMs: 0, startMs: mostLateMs })).toMatchObject({ asked: [] })
    const missed = await takeTurn({ slotMs: 0, startMs: mostLateMs + 1 })
    expect(missed).toMatchObject({ may: true, asked: ['take'] })
    expect(missed.atMs).toBe(missed.slotMs)
  })

  test('one that is missed on a number that is held by now is not posted', async () => {
    const turn = await takeTurn({ slotMs: 0, startMs: 500, isHeld: true })
    expect(turn.may).toBe(false)
  })

  test('a database that is slow for ever does not keep it from being sent', async () => {
    const turn = await takeTurn({ slotMs: 0, startMs: 300, answersMs: Array(20).fill(300) })
    expect(turn.may).toBe(true)
    expect(turn.asked.length).toBeLessThan(8)
  })

  test('it is kept, whatever takes how long: never early, never too late', async () => {
    const ms = (max: number) => fc.nat(max)
    await fc.assert(
      fc.asyncProperty(
        ms(200),
        ms(100),
        ms(200),
        fc.array(ms(150), { maxLength: 6 }),
        async (slotMs, heardMs, workMs, answersMs) => {
          const turn = await takeTurn({ slotMs, heardMs, startMs: heardMs + workMs, answersMs })
          expect(turn.may).toBe(true)
          // A database that never answered within 20 ms is thought to have meant the middle of the time it took.
          const unsureMs = turn.promptestMs > 20 ? turn.promptestMs / 2 : 0
          expect(turn.atMs).toBeGreaterThanOrEqual(turn.slotMs - unsureMs)
          expect(turn.atMs).toBeLessThanOrEqual(turn.slotMs + mostLateMs + unsureMs)
        },
      ),
      { numRuns: times(40) },
    )
  })
})

describe('the database’s time', () => {
  test('is known the better the more it says, also when answers are slow', () => {
    const time = createDatabaseTime()
    // True: theirs is ours plus 1000.
    time.note(1050, 0, 100)
    expect(time.here(1100).toMs - time.here(1100).fromMs).toBeLessThanOrEqual(20)
    time.note(1201, 200, 260)
    time.note(1398, 340, 400)
    const { fromMs, toMs } = time.here(1500)
    expect(fromMs).toBeLessThanOrEqual(500)
    expect(toMs).toBeGreaterThanOrEqual(500)
    expect(toMs - fromMs).toBeLessThan(5)
  })

  test('is learnt anew when somebody sets the clock', () => {
    const time = createDatabaseTime()
    time.note(1001, 0, 2)
    time.note(999_003, 2, 4)
    const { fromMs, toMs } = time.here(999_103)
    expect(fromMs).toBeGreaterThanOrEqual(102)
    expect(toMs).toBeLessThanOrEqual(104)
  })
})
