// `npm run release` on a repository of its own: what it refuses, what a dry run leaves alone, what a release is made of.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
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
let folder: string

beforeEach(async () => {
  folder = await createDirectory()
  // Which gate it runs is the project's matter: here one that a file can close.
  write('package.json', {
    name: 'sample',
    version: '0.1.9',
    scripts: { check: "node -e \"process.exit(require('fs').existsSync('closed') ? 1 : 0)\"" },
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

function run(command: string, args: string[]) {
  const somebody = { NAME: 'Sam Sample', EMAIL: 'sam@example.com' }
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: {
      // biome-ignore lint/style/noProcessEnv: where git and npm are.
      PATH: process.env.PATH,
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      // Npm would ask the registry whether it is old.
      npm_config_update_notifier: 'false',
      ...Object.fromEntries(
        Object.entries(somebody).flatMap(([name, value]) => [
          [`GIT_AUTHOR_${name}`, value],
          [`GIT_COMMITTER_${name}`, value],
        ]),
      ),
    },
  })
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
    ['without a step', () => undefined, [], 'Usage: npm run release -- <major|minor|patch>'],
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
      'without a word of what changed',
      emptyChangelog,
      ['minor'],
      'no entries under "## Unreleased"',
    ],
    [
      'with the gate closed',
      () => writeFileSync(join(folder, 'closed'), ''),
      ['minor'],
      'npm run check failed',
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
    const { status, stdout } = release('minor')

    expect(status).toBe(0)
    expect(JSON.parse(text('package.json')).version).toBe('0.2.0')
    expect(JSON.parse(text('package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    })
    const day = new Date().toISOString().slice(0, 4)
    expect(text('CHANGELOG.md')).toMatch(
      new RegExp(
        `^# Changelog\n\n## Unreleased\n\n## 0\\.2\\.0 - ${day}-\\d\\d-\\d\\d\n\n### Added\n\n- A way to say \\$& twice\\.\n\n## 0\\.1\\.0 `,
      ),
    )
    expect(git('log', '-1', '--format=%s', 'v0.2.0')).toBe('Release 0.2.0')
    expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag')
    expect(git('status', '--porcelain')).toBe('')
    expect(existsSync(join(folder, 'sample-0.2.0.tgz'))).toBe(true)
    expect(stdout).toContain('npm publish sample-0.2.0.tgz')
  })
})

test('the project itself says what is not released yet in the form that the script moves', () => {
  const own = readFileSync(join(packageRoot, 'CHANGELOG.md'), 'utf8')
  expect(own).toMatch(
    /^## Unreleased\n\n### (Added|Changed|Deprecated|Removed|Fixed|Security)\n\n- /m,
  )
  expect(readJson('package-lock.json').version).toBe(readJson('package.json').version)
})
