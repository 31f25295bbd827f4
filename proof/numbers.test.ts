// A run that is asked for in what is no number does not begin.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { numberOf, wholeNumberOf } from './numbers.ts'

/** What becomes of a process that reads this. */
function endOf(call: string) {
  const program = `import { numberOf, wholeNumberOf } from './numbers.ts'; console.log(${call})`
  const args = ['--import', 'tsx', '--input-type=module', '--eval', program]
  return spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
}

test('numbers are read', () => {
  expect(numberOf('minutes', '0.5')).toBe(0.5)
  expect(wholeNumberOf('cases', '100000', 1)).toBe(100_000)
  expect(wholeNumberOf('seed', '0')).toBe(0)
})

test.each([
  ["numberOf('minutes', '10_000')", '--minutes takes a number of at least 0, not "10_000".\n'],
  ["numberOf('rate', '', 1)", '--rate takes a number of at least 1, not "".\n'],
  ["wholeNumberOf('cases', '0', 1)", '--cases takes a whole number of at least 1, not "0".\n'],
  ["wholeNumberOf('seed', '1.5')", '--seed takes a whole number of at least 0, not "1.5".\n'],
])('%s ends the run, and says why', (call, stderr) => {
  expect(endOf(call)).toMatchObject({ status: 2, stdout: '', stderr })
})
