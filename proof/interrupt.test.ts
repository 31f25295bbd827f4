// Whatever ends a run, it says last what it was a run of, and leaves nothing behind.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'

const twice = `process.kill(process.pid, 'SIGINT'); process.kill(process.pid, 'SIGINT'); setInterval(() => {}, 1000)`

test.each([
  ['what it waits for throws', `await Promise.reject(new Error('gone'))`, 1],
  [
    'a rejection that nobody awaits',
    `void Promise.reject(new Error('gone')); setInterval(() => {}, 1000)`,
    1,
  ],
  ['somebody who presses the key twice', twice, 130],
])('%s', (_what, end, code) => {
  const program = `
    import { endWhenInterrupted } from './proof/interrupt.ts'
    import { afterFile } from './test/support/after-file.ts'
    afterFile(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      console.log('cleaned up')
    })
    endWhenInterrupted('4711')
    ${end}`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  const { stdout, status } = spawnSync(process.execPath, args, {
    cwd: packageRoot,
    encoding: 'utf8',
  })
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.replace(/^.*, /, '')),
  ).toEqual(['cleaned up', 'seed 4711'])
  expect(status).toBe(code)
})
