// Whoever keeps the event loop busy is found, and whoever merely had to wait is not blamed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { askStall, stallWatch } from './gateway.ts'
import type { Kind } from './kind.ts'
import { runKind } from './run.ts'

/** A process that does this in one go, and then waits to be asked. */
async function stallOf(work: string): Promise<number> {
  const program = `${work}; setInterval(() => {}, 1e6); process.send('done')`
  const child = spawn(process.execPath, [...stallWatch, '--eval', program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  afterFile(async () => void child.kill('SIGKILL'))
  await once(child, 'message')
  return askStall(child)
}

test('time on the processor counts, and time without it does not', async () => {
  const used = '() => process.cpuUsage().user / 1000'
  const busy = `const used = ${used}; const from = used(); while (used() - from < 600);`
  const idle = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)'

  expect(await stallOf(busy)).toBeGreaterThanOrEqual(600)
  expect(await stallOf(idle)).toBeLessThan(500)
})

test('of a chunk, whoever keeps the event loop busy is named', async () => {
  let longestMs = 0
  /** Beside whoever is busy, the first time that it is. */
  let togetherMs = 0
  const take = async () => {
    const ms = longestMs > 500 ? Math.max(longestMs, togetherMs) : longestMs
    if (longestMs > 500) togetherMs = 0
    longestMs = 0
    return ms
  }
  const busyMs = (one: number) => (one === 17 ? 700 : 10)
  const kind: Kind<number> = {
    ...{ name: 'bytes', chunkSize: 30, inFlight: 4, make: (_, number) => number },
    run: async (one) => {
      longestMs = Math.max(longestMs, busyMs(one))
      return undefined
    },
    smaller: () => [],
    counts: () => new Map(),
  }
  const options = { seed: 1, cases: { count: 60 }, withCorpus: false }
  const told = async (limitMs: number) =>
    (await runKind(kind, { ...options, stall: { limitMs, take } })).failures.map(
      ({ number, problem }) => `${number}: ${problem}`,
    )

  expect(await told(1_000)).toEqual([])
  // Whoever takes no longer than reading it takes anybody.
  kind.leastMs = () => 100
  expect(await told(500)).toEqual([])
  kind.leastMs = () => 60
  expect(await told(500)).toEqual(['17: the event loop was busy for 700 ms without a break'])
  // That one takes long excuses as much as it may, and no more.
  kind.leastMs = () => 100
  togetherMs = 5_000
  expect(await told(500)).toEqual([
    '0: the event loop was busy for 5000 ms without a break, and by none alone',
  ])
})
