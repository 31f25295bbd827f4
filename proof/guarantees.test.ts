// The documents name tests, and the tests are there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'
import { safeguards } from './safeguards.ts'
import { findCrashPoints } from './tree.ts'

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8')

const scripts = Object.keys(JSON.parse(read('package.json')).scripts)

test('every file that the guarantees name is there', () => {
  const named = read('docs/guarantees.md').match(/`(src|test|proof|simulator)\/[^`]+`/g) ?? []
  expect(named.length).toBeGreaterThan(25)
  const missing = named
    .map((name) => name.slice(1, -1))
    .filter((name) => {
      return !existsSync(join(packageRoot, name))
    })
  expect(missing).toEqual([])
})

test('every command that the guarantees name is there, and every proof is named', () => {
  const commands = [...read('docs/guarantees.md').matchAll(/`npm (?:run )?(test[a-z:]*)/g)]
  const named = new Set(commands.map(([, command]) => command))
  expect([...named].filter((command) => !scripts.includes(String(command)))).toEqual([])
  expect(scripts.filter((script) => script.startsWith('test') && !named.has(script))).toEqual([])
})

test('every invariant in ARCHITECTURE.md names a test that is there', () => {
  const files = ['src', 'test', 'proof'].flatMap((folder) =>
    readdirSync(join(packageRoot, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  )
  const rows = read('ARCHITECTURE.md').match(/^\| I\d+ \|.*$/gm) ?? []
  expect(rows.length).toBeGreaterThan(20)
  for (const row of rows) {
    const [name = ''] =
      /(?<=`)[a-z/-]+(?:(?:\.db)?\.test|\.conformance|\.ts)?(?=`)/.exec(
        row.split('|').at(-2) ?? '',
      ) ?? []
    const isThere = files.some((file) => file.includes(name) && name.length > 4)
    expect(isThere, row).toBe(true)
  }
})

test('the safeguards in the guarantees are those that there are', () => {
  const [, controls = ''] = /\n### Controls\n(.*?)\n##/s.exec(read('docs/guarantees.md')) ?? []
  const [, , ...rows] = controls.match(/^\| .*$|^\|-.*$/gm) ?? []
  expect(rows).toEqual(safeguards.map(({ name, without }) => `| ${name} | ${without} |`))
})

test('the guarantees tell how many crash points there are', async () => {
  const [, places] = /stands at (\d+) places/.exec(read('docs/guarantees.md')) ?? []
  expect(Number(places)).toBe((await findCrashPoints()).length)
})
