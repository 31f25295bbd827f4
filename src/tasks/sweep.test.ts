import { expect, test } from 'vitest'
import { createManualClock, settled } from '../../test/support/manual-clock.ts'
import type { PeriodicJob } from '../again-and-again.ts'
import { createLog } from '../log.ts'
import { createSweep } from './sweep.ts'

const clock = createManualClock()
let logText = ''
const log = createLog({
  level: 'debug',
  hashKey: Buffer.alloc(32),
  clock,
  destination: {
    write: (line: string) => {
      logText += line
    },
  },
})
const job = (name: string, run: PeriodicJob['run']): PeriodicJob => ({
  name,
  everyMs: 1,
  failed: 'sweep_failed',
  run,
})
const sweepOf = (...jobs: PeriodicJob[]) => createSweep({ jobs, clock, log, budgetMs: 1_000 })

test('runs every job until it has no more to do, and says how much that was', async () => {
  let rounds = 3
  const sweep = sweepOf(
    job('counts', async () => 7),
    job('says-nothing', async () => undefined),
    job('goes-on', async () => --rounds > 0),
  )
  expect(await sweep()).toMatchObject({
    jobs: [
      { name: 'counts', count: 7, is_failed: false },
      { name: 'says-nothing', count: null, is_failed: false },
      { name: 'goes-on', count: null, is_failed: false },
    ],
    is_complete: true,
  })
  expect(rounds).toBe(0)
})

test('runs only what is asked for', async () => {
  const sweep = sweepOf(
    job('one', async () => 1),
    job('other', async () => 1),
  )
  expect((await sweep(['other', 'unheard-of'])).jobs.map(({ name }) => name)).toEqual(['other'])
  expect((await sweep([])).jobs).toEqual([])
})

test('one that fails is told, and keeps no other from its work', async () => {
  const fails = job('fails', () => Promise.reject(new Error('out of luck')))
  const sweep = sweepOf(
    fails,
    job('works', async () => 1),
  )
  expect((await sweep()).jobs).toEqual([
    { name: 'fails', count: null, is_failed: true },
    { name: 'works', count: 1, is_failed: false },
  ])
  expect(logText).toContain('sweep_failed')
  await expect(sweepOf(fails)()).rejects.toMatchObject({ status: 503 })
})

test('ends when its time is up, whoever heeds it or not', async () => {
  let heeds: AbortSignal | undefined
  const sweep = sweepOf(
    job('quick', async () => 1),
    job('hangs', (signal) => {
      heeds = signal
      return new Promise(() => undefined)
    }),
  )
  const swept = sweep()
  await settled()
  clock.advance(1_000)
  expect(await swept).toMatchObject({
    jobs: [{ name: 'quick', count: 1, is_failed: false }],
    is_complete: false,
  })
  expect(heeds?.aborted).toBe(true)
})
