// The rules of the house are only worth something while they fire.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const planted: string[] = []

function plant(path: string, text: string): void {
  planted.push(root + path)
  writeFileSync(root + path, text)
}

afterEach(() => {
  for (const path of planted.splice(0)) rmSync(path, { force: true })
})

function run(command: string, args: string[]) {
  const result = spawnSync(`${root}node_modules/.bin/${command}`, args, {
    cwd: root,
    encoding: 'utf8',
  })
  return { status: result.status, output: result.stdout + result.stderr }
}

const cruise = (...paths: string[]) =>
  run('depcruise', ['--config', 'dependency-cruiser.cjs', ...paths])

describe('the import rules', () => {
  const offences: [rule: string, path: string, text: string][] = [
    [
      'simulator-is-independent',
      'simulator/planted.ts',
      "import { AppError } from '../src/errors.ts'\nthrow AppError\n",
    ],
    [
      'adapters-know-no-feature',
      'src/meta/planted.ts',
      "import { bury } from '../dead-letters/bury.ts'\nbury\n",
    ],
    [
      'queries-stay-home',
      'src/inbox/planted.ts',
      "import { selectMessage } from '../conversations/queries.ts'\nselectMessage\n",
    ],
    [
      'the-client-stands-alone',
      'client/planted.ts',
      "import { AppError } from '../src/errors.ts'\nthrow AppError\n",
    ],
    ['one-door-to-postgres', 'src/ops/planted.ts', "import pg from 'pg'\npg\n"],
    [
      'feature-edges-conversations',
      'src/conversations/planted.ts',
      "import { createReceiver } from '../inbox/receive.ts'\ncreateReceiver\n",
    ],
  ]

  test('fire', () => {
    for (const [, path, text] of offences) plant(path, text)
    const { status, output } = cruise(...offences.map(([, path]) => path))
    // One line for each: error rule: from → to.
    for (const [rule, path] of offences) {
      expect(output).toMatch(new RegExp(`${rule}: ${path}`))
    }
    expect(status).not.toBe(0)
  })

  test('see the whole tree', () => {
    const { output } = cruise('src', 'simulator', 'test')
    const [, modules] = /\((\d+) modules/.exec(output) ?? []
    expect(Number(modules)).toBeGreaterThan(100)
  })
})

describe('time and chance', () => {
  const calls = [
    'Date.now()',
    'new Date()',
    'Math.random()',
    'setTimeout(() => {}, 1)',
    'crypto.randomUUID()',
    'randomBytes(8)',
  ]

  test('are refused outside time-and-chance.ts', () => {
    const files = calls.map((_, index) => `src/planted-${index}.ts`)
    for (const [index, file] of files.entries()) {
      plant(file, `export const planted = () => ${calls[index]}\n`)
    }
    const { status, output } = run('biome', ['lint', '--max-diagnostics=none', ...files])
    for (const file of files) {
      expect(output).toMatch(
        new RegExp(`${file}:\\d+:\\d+ [^\\n]*\\n\\n[^\\n]*Time and chance are injected`),
      )
    }
    expect(status).not.toBe(0)
  })
})

// dependency-cruiser cannot read JSX with the parser it has here, so this rule is written out.
describe('the console', () => {
  const importsOf = (path: string) =>
    [
      ...readFileSync(root + path, 'utf8').matchAll(
        /(import type [^']*?)?(?:from|import\() ?'(\.[^']+)'/g,
      ),
    ].map(([, typeOnly, to = '']) => ({
      isTypeOnly: typeOnly !== undefined,
      to: posix.join(posix.dirname(path), to),
    }))
  const offendersIn = (paths: string[]) =>
    paths.flatMap((path) =>
      importsOf(path)
        .filter(({ to, isTypeOnly }) =>
          to.startsWith('console/')
            ? false
            : !(isTypeOnly && /^src\/api\/contract[a-z-]*\.ts$/.test(to)),
        )
        .map(({ to }) => `${path} → ${to}`),
    )
  const sources = () =>
    readdirSync(`${root}console`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$/.test(name))
      .map((name) => `console/${name.replaceAll('\\', '/')}`)

  test('knows the types of the API’s contract and nothing else of the server', () => {
    expect(sources().length).toBeGreaterThan(10)
    expect(offendersIn(sources())).toEqual([])
  })

  test('is found out when it reaches further', () => {
    plant('console/planted.ts', "import { AppError } from '../src/errors.ts'\nAppError\n")
    expect(offendersIn(sources())).toEqual(['console/planted.ts → src/errors.ts'])
  })
})
