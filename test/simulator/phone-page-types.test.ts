// The pages of the simulator are served as they are written: only the compiler checks the types in their JavaScript.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

test.each(['simulator/phone/page', 'simulator/signup/page'])('the types of %s hold', (folder) => {
  const compiler = new URL('../../node_modules/typescript/bin/tsc', import.meta.url).pathname
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, '--noEmit', '--project', folder],
    { cwd: new URL('../..', import.meta.url), encoding: 'utf8' },
  )

  expect(stdout).toBe('')
  expect(status).toBe(0)
})
