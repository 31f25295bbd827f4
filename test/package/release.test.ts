// `npm run release` on a repository of its own: what it refuses, what a dry run leaves alone, what a release is made of.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../support/after-file.ts'
import { readJson } from '../support/package.ts'
import { createDirectory } from '../support/program.ts'

const script = join(packageRoot, 'scripts', 'release.mjs')
const changelog = `# Changelog

## Unreleased

### Added

- A way to say $& twice.

## 0.1.0 - 2026-01-01

- The first.
`
/** Entries under Unreleased; or none, between a release and the first change after it. */
const movable =
  /^## Unreleased\n\n(### (Added|Changed|Deprecated|Removed|Fixed|Security)\n\n- |## \d+\.\d+\.\d+ - )/m
let folder: string

beforeEach(async () => {
  folder = await createDirectory()
  // Which gate it runs is the project's matter: here one that a file can close.
  write('package.json', {
    name: 'sample',
    version: '0.1.9',
    scripts: { test: "node -e \"process.exit(require('fs').existsSync('closed') ? 1 : 0)\"" },
    files: ['CHANGELOG.md'],
  })
  write('package-lock.json', {
    name: 'sample',
    version: '0.1.9',
    packages: { '': { version: '0.1.9' } },
  })
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  writeFileSync(join(folder, '.gitignore'), 'closed\n.npm\n*.tgz\n')
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'A beginning')
})

const write = (file: string, value: unknown) =>
  writeFileSync(join(folder, file), `${JSON.stringify(value, null, 2)}\n`)
const text = (file: string) => readFileSync(join(folder, file), 'utf8')

function environment() {
  const somebody = { NAME: 'Sam Sample', EMAIL: 'sam@example.com' }
  return {
    // biome-ignore lint/style/noProcessEnv: where git and npm are.
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    // Npm would ask the registry whether it is old.
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
    ...Object.fromEntries(
      Object.entries(somebody).flatMap(([name, value]) => [
        [`GIT_AUTHOR_${name}`, value],
        [`GIT_COMMITTER_${name}`, value],
      ]),
    ),
  }
}

function run(command: string, args: string[]) {
  const options = { cwd: folder, encoding: 'utf8', env: environment() } as const
  const { status, stdout, stderr } = spawnSync(command, args, options)
  return { status, stdout, stderr }
}

const git = (...args: string[]) => {
  const { status, stdout, stderr } = run('git', args)
  if (status !== 0) throw new Error(stderr)
  return stdout.trim()
}
const release = (...args: string[]) => run(process.execPath, [script, ...args])

describe('a release is refused', () => {
  test.each<[why: string, prepare: () => void, args: string[], says: string]>([
    [
      'without a step',
      () => undefined,
      [],
      'Usage: npm run release -- <major|minor|patch|current>',
    ],
    ['with an unknown option', () => undefined, ['minor', '--force'], 'Usage:'],
    [
      'on another branch',
      () => git('switch', '--quiet', '--create', 'try'),
      ['minor'],
      'this is try',
    ],
    ['with changes', () => writeFileSync(join(folder, 'notes.txt'), ''), ['minor'], '?? notes.txt'],
    [
      'with its tag there',
      () => git('tag', 'v0.2.0'),
      ['minor'],
      'The tag v0.2.0 is there already',
    ],
    [
      'of a version that is released',
      () => git('tag', 'v0.1.9'),
      ['current'],
      'The tag v0.1.9 is there already',
    ],
    [
      'without a word of what changed',
      emptyChangelog,
      ['minor'],
      'no entries under "## Unreleased"',
    ],
    [
      'with the gate closed',
      () => writeFileSync(join(folder, 'closed'), ''),
      ['minor'],
      'npm test failed. Nothing was changed.',
    ],
  ])('%s', (_why, prepare, args, says) => {
    prepare()
    const before = [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]

    const { status, stderr } = release(...args)

    expect(stderr).toContain(says)
    expect(stderr).toMatch(/^release: /m)
    expect(status).toBe(1)
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual(before)
  })
})

function emptyChangelog(): void {
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog.replace(/^### Added\n\n- A .*\n/m, ''))
  git('commit', '--quiet', '--all', '--message', 'Take it back')
}

describe('a release', () => {
  test('is only described by a dry run', () => {
    const before = git('rev-parse', 'HEAD')
    const { status, stdout } = release('major', '--dry-run')

    expect(stdout).toContain('sample 0.1.9 → 1.0.0')
    expect(stdout).toContain('- A way to say $& twice.')
    expect(status).toBe(0)
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([
      before,
      '',
      '',
    ])
  })

  test('is a commit, a tag and a tarball, and goes nowhere by itself', () => {
    const year = () => new Date().toISOString().slice(0, 4)
    const before = year()

    const { status, stdout } = release('minor')

    // A release may begin in one year and end in the next.
    const years = `(?:${before}|${year()})`
    expect(status).toBe(0)
    expect(JSON.parse(text('package.json')).version).toBe('0.2.0')
    expect(JSON.parse(text('package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    })
    expect(text('CHANGELOG.md')).toMatch(
      new RegExp(
        `^# Changelog\n\n## Unreleased\n\n## 0\\.2\\.0 - ${years}-\\d\\d-\\d\\d\n\n### Added\n\n- A way to say \\$& twice\\.\n\n## 0\\.1\\.0 `,
      ),
    )
    // Or the next run of the tests would refuse what is released.
    expect(text('CHANGELOG.md')).toMatch(movable)
    expect(git('log', '-1', '--format=%s', 'v0.2.0')).toBe('Release 0.2.0')
    expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag')
    expect(git('status', '--porcelain')).toBe('')
    expect(existsSync(join(folder, 'sample-0.2.0.tgz'))).toBe(true)
    expect(stdout).toContain('npm publish sample-0.2.0.tgz')
  })
})

describe('what fails halfway says what is there', () => {
  test('a commit that is refused', () => {
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const { status, stderr } = release('minor')
    expect(status).toBe(1)
    const [, takeBack = ''] = /not committed; to take it back: git (.*)/.exec(stderr) ?? []
    git(...takeBack.split(' '))
    expect(git('status', '--porcelain')).toBe('')
  })

  test('a tarball that cannot be made; here of a version that has no tag yet', () => {
    // A folder where the file has to go.
    mkdirSync(join(folder, 'sample-0.1.9.tgz'))
    const { status, stderr } = release('current')
    expect(status).toBe(1)
    expect(stderr).toContain('so is the tag v0.1.9; only the tarball is missing.')
    expect(JSON.parse(text('package.json')).version).toBe('0.1.9')
    expect(text('CHANGELOG.md')).toMatch(/^## Unreleased\n\n## 0\.1\.9 - /m)
    expect(git('log', '-1', '--format=%s', 'v0.1.9')).toBe('Release 0.1.9')
  })
})

describe('advisories', () => {
  let registry: string
  let answer: { status: number; body: unknown }

  beforeEach(async () => {
    const server = createServer((request, response) => {
      const isAudit = request.method === 'POST'
      response.writeHead(isAudit ? answer.status : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isAudit ? answer.body : packument))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterFile(async () => void server.close())
    registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const needs = { dependencies: { [packument.name]: '1.0.0' } }
    write('package.json', { ...JSON.parse(text('package.json')), ...needs })
    const packages = {
      '': { version: '0.1.9', ...needs },
      [`node_modules/${packument.name}`]: { version: '1.0.0' },
    }
    write('package-lock.json', { name: 'sample', version: '0.1.9', lockfileVersion: 3, packages })
    git('commit', '--quiet', '--all', '--message', 'Need something')
  })

  const packument = {
    name: 'needed',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': { name: 'needed', version: '1.0.0' } },
  }
  const advisory = { id: 1, title: 'x', severity: 'high', url: '', vulnerable_versions: '*' }

  /** Not as above: the server has to answer meanwhile. */
  async function releaseHere(...args: string[]): Promise<{ code: number | null; said: string }> {
    const env = { ...environment(), npm_config_registry: registry }
    const child = spawn(process.execPath, [script, ...args], { cwd: folder, env })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part) => {
        said += part
      })
    }
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, said }
  }

  test('stop a release', async () => {
    answer = { status: 200, body: { needed: [advisory] } }
    const { code, said } = await releaseHere('minor')
    expect(said).toContain('There are advisories about needed')
    expect(code).toBe(1)
    expect(git('status', '--porcelain')).toBe('')
  })

  test('that the registry does not know of are somebody’s to look at', async () => {
    answer = { status: 405, body: {} }
    const { code, said } = await releaseHere('minor')
    expect(said).toContain('The registry that npm asks here has no audits (it answers 405)')
    expect([code, git('tag')]).toEqual([1, ''])
    expect((await releaseHere('minor', '--audited')).code).toBe(0)
    expect(git('tag')).toBe('v0.2.0')
  })
})

test('the project itself says what is not released yet in the form that the script moves', () => {
  expect(readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8')).toMatch(movable)
  expect(readJson('package-lock.json').version).toBe(readJson('package.json').version)
})
