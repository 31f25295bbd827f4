// `npm run test:fuzz -- --only properties` must not end green when a property fails, cannot be loaded, or does not run.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { runProperties } from './properties.ts'

/** Runs these bodies of test files of `src`, and leaves the folder out of what is told. */
async function tryFiles(bodies: Record<string, string>, { seconds = 3_600 } = {}) {
  const root = createTestFolder()
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'))
  for (const folder of ['src', 'simulator']) mkdirSync(join(root, folder))
  const chance = JSON.stringify(join(packageRoot, 'test/support/chance.ts'))
  const config = `export default { test: { setupFiles: [${chance}] } }`
  writeFileSync(join(root, 'vitest.config.ts'), config)
  for (const [name, body] of Object.entries(bodies)) {
    const imports = `import fc from 'fast-check'\nimport { test } from 'vitest'\n`
    writeFileSync(join(root, 'src', `${name}.test.ts`), imports + body)
  }
  const told: string[] = []
  const untilMs = performance.now() + seconds * 1_000
  const onFailure = (failure: string) => void told.push(failure.replaceAll(root, 'ROOT'))
  const total = await runProperties({ seed: 4711, factor: 3, untilMs, onFailure, root })
  return { ...total, told }
}

const property = (name: string, check: string) =>
  `test('${name}', () => fc.assert(fc.property(fc.nat(), (n) => { ${check} })))\n`

it('tells of every file that fails, with the command that repeats it', async () => {
  const { told, ...total } = await tryFiles({
    broken: `throw new Error('cannot be loaded')\n${property('never', '')}`,
    false: property('is small', 'if (n > 9) throw new Error("too large")') + property('is', ''),
    rejecting: `${property('is fine', '')} void Promise.reject(new Error('unhandled'))`,
    skipped: property('is left out', '').replace('test(', 'test.skip('),
    true: `test('tries more', () => {
      let runs = 0
      fc.assert(fc.property(fc.nat(), () => void runs++))
      if (runs !== 300) throw new Error(runs + ' cases')
    })`,
    unrelated: `test('states no property', () => { throw new Error('ran') })`,
  })
  expect(total).toEqual({ ran: 4, failed: 4, unfinished: [] })
  const repeat = (file: string) =>
    `To repeat: SEED=4711 CASES=3 npx vitest run src/${file}.test.ts --testTimeout=0`
  expect(told).toEqual([
    expect.stringMatching(/^src\/broken.test.ts: vitest printed:\n.*Error: cannot be loaded/s),
    expect.stringMatching(/^src\/false.test.ts: is small: .*seed: 4711.*Counterexample: \[10]/s),
    expect.stringMatching(/^src\/rejecting.test.ts: vitest printed:\n.*Error: unhandled/s),
    expect.stringMatching(/^src\/skipped.test.ts: vitest printed:\n.*1 skipped/s),
  ])
  const commands = told.map((failure) => failure.split('\n').at(-1)?.trim())
  expect(commands).toEqual(['broken', 'false', 'rejecting', 'skipped'].map(repeat))
})

it('refuses to run when no file states a property', async () => {
  const { told, ...total } = await tryFiles({ unrelated: `test('is no property', () => {})` })
  expect(total).toEqual({ ran: 0, failed: 1, unfinished: [] })
  expect(told).toEqual(['no file below ROOT states a property'])
})

it('names the files that the time left unfinished', async () => {
  const bodies = { endless: property('ends', 'for (;;) {}'), next: property('is next', '') }
  expect(await tryFiles(bodies, { seconds: 2 })).toEqual({
    ...{ ran: 0, failed: 0, told: [] },
    unfinished: ['src/endless.test.ts', 'src/next.test.ts'],
  })
})
