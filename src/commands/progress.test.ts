import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.ts'
import { durationText, type Progress, withProgress } from './progress.ts'

/** What such a screen showed, write by write. */
async function shown(
  screen: { isTTY?: boolean; columns?: number },
  work: (progress: Progress, wait: (ms: number) => void) => void,
  json = false,
): Promise<string[]> {
  const writes: string[] = []
  const clock = createManualClock()
  await withProgress(
    'Requeueing',
    { json, clock, screen: { ...screen, write: (text: string) => void writes.push(text) } },
    async (progress) => work(progress, clock.advance),
  )
  return writes
}

const clear = '\r\u001b[K'

describe('progress', () => {
  test('is one line on a terminal, with a bar, a rate and the time that is left, and is gone at the end', async () => {
    const writes = await shown({ isTTY: true, columns: 100 }, ({ at }, wait) => {
      at(0, 4000)
      wait(20)
      at(10, 4000)
      wait(1_980)
      at(1000, 4000)
    })

    expect(writes).toEqual([
      `${clear}Requeueing ${'░'.repeat(24)} 0 of 4000`,
      `${clear}Requeueing ${'█'.repeat(6)}${'░'.repeat(18)} 1000 of 4000, 500/s, 6 s left`,
      clear,
    ])
  })

  test('fits the terminal, for a line that wraps cannot be taken back', async () => {
    const writes = await shown({ isTTY: true, columns: 40 }, ({ at }) => at(1, 2, 'x'.repeat(80)))
    expect(writes[0]?.slice(clear.length)).toHaveLength(39)
  })

  test('lets lines through above it', async () => {
    const writes = await shown({ isTTY: true }, ({ at, say }) => {
      say('first')
      at(1, 2)
      say('second')
    })
    const [, line = ''] = writes
    expect(writes).toEqual(['first\n', line, `${clear}second\n${line.slice(clear.length)}`, clear])
  })

  test('is a line now and then elsewhere, none for short work, and nothing with --json', async () => {
    const short = ({ at }: Progress) => at(1, 2)
    const long = ({ at }: Progress, wait: (ms: number) => void) => {
      wait(20_000)
      at(10, 100)
      wait(5_000)
      at(20, 100)
    }
    expect(await shown({}, short)).toEqual([])
    expect(await shown({}, long)).toEqual(['Requeueing: 10 of 100, 3 min left\n'])
    expect(await shown({ isTTY: true }, long, true)).toEqual([])
  })

  test('takes its line away when the work fails', async () => {
    const writes: string[] = []
    const screen = { isTTY: true, write: (text: string) => void writes.push(text) }
    const failing = withProgress('Replaying', { screen }, async ({ at }) => {
      at(1, 2)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(writes.at(-1)).toBe(clear)
  })
})

test('durations are as short as one reads them', () => {
  expect([0.2, 99, 100, 5_900, 9_000].map(durationText)).toEqual([
    '1 s',
    '99 s',
    '2 min',
    '99 min',
    '2 h 30 min',
  ])
})
