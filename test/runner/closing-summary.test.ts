import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { createTestFolder } from '../support/folder.ts'

let folder: string

beforeAll(() => {
  folder = createTestFolder()
  symlinkSync(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'tests'))
  const reporter = JSON.stringify(join(packageRoot, 'test/runner/closing-summary.ts'))
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { ClosingSummary } from ${reporter}
     export default { test: { reporters: [new ClosingSummary({ isRecording: false })] } }`,
  )
  const file = (name: string, body: string) =>
    writeFileSync(join(folder, 'tests', name), `import { expect, test } from 'vitest'\n${body}`)
  file('red.test.ts', "test('adds', () => expect(1 + 1).toBe(3)); test('waits', () => undefined)")
  file('broken.test.ts', "throw new Error('cannot be loaded')")
  file(
    'skipped.test.ts',
    "test.skipIf(true)('sings (skipped: no choir here; `hire choir` enables it)', () => undefined)",
  )
})

function summaryOf(files: string[], seed?: string) {
  // biome-ignore lint/style/noProcessEnv: vitest needs the environment of this process.
  const { SEED: _, ...env } = process.env
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...files]
  const { status, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { ...env, ...(seed && { SEED: seed }) },
    encoding: 'utf8',
  })
  return { status, lines: stdout.trim().split('\n') }
}

describe('the closing summary', () => {
  it('counts failed tests and files that could not be loaded, and says how to repeat each', () => {
    const { status, lines } = summaryOf([], '4711')
    expect(lines.at(-1)).toBe('1 passed, 2 failed, 1 skipped')
    expect(lines).toContain('To repeat: SEED=4711 npx vitest run tests/red.test.ts')
    expect(lines).toContain('To repeat: SEED=4711 npx vitest run tests/broken.test.ts')
    expect(status).toBe(1)
  })

  it('names what was skipped, with the command that enables it, and the committed seed', () => {
    const { status, lines } = summaryOf(['skipped', 'red'])
    expect(lines).toContain('Skipped (1): no choir here; `hire choir` enables it')
    expect(lines).toContain('To repeat: SEED=20261119 npx vitest run tests/red.test.ts')
    expect(status).toBe(1)
  })

  it('ends with 0 when nothing failed', () => {
    const { status, lines } = summaryOf(['skipped'])
    expect([status, lines.at(-1)]).toEqual([0, '0 passed, 0 failed, 1 skipped'])
  })
})
