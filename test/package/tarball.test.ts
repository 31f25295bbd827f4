// What `npm pack` hands out: everything that is needed, nothing that is not, and it starts in an empty folder.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../support/after-file.ts'
import { runInstalled } from '../support/bundle-program.ts'
import { createTestFolder } from '../support/folder.ts'
import { filesIn, installPackage, nameOf, privateFiles, readJson } from '../support/package.ts'
import { until } from '../support/program.ts'

const manifest = readJson('package.json')
let folder: string
let files: string[]
const unpacked = (path = '') => join(folder, 'node_modules', manifest.name, path)
const textOf = (path: string) => readFileSync(unpacked(path), 'utf8')

beforeAll(async () => {
  folder = await installPackage()
  files = await filesIn(unpacked())
  // When a test fails half-way its Postgres must not stay.
  afterFile(async () => {
    if (!existsSync(postmaster())) return
    process.kill(Number(readFileSync(postmaster(), 'utf8').split('\n')[0]), 'SIGQUIT')
  })
})

const postmaster = () => join(folder, '.estafet', 'postgres', 'postmaster.pid')

describe('the tarball', () => {
  test('holds what the program reads, and what people read first', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'CHANGELOG.md', 'SECURITY.md', manifest.bin.estafet],
        ...['dist/console/index.html', 'dist/console/licenses.txt', 'docs/configuration.md'],
        ...['migrations/0001_init.sql', 'scripts/healthcheck.mjs'],
        ...['simulator/phone/page/index.html', 'simulator/signup/page/index.html'],
        ...['simulator/scenarios/flaky.yaml', 'docs/pictures/inbox.png'],
      ]),
    )
    const { include } = readJson('tsconfig.build.json')
    const folders = new Set(files.map((path) => path.split('/').slice(0, 2).join('/')))
    const made = ['console', 'site'].filter((name) => existsSync(join(packageRoot, 'dist', name)))
    for (const name of [...include, ...made]) expect(folders).toContain(`dist/${name}`)
    const exported = Object.values(manifest.exports ?? {}).flatMap((target) =>
      typeof target === 'string' ? target : (target as { default: string }).default,
    )
    expect(exported.filter((path) => !files.includes(path.replace('./', '')))).toEqual([])
  })

  test('has every file that README.md links to', () => {
    const links = [...textOf('README.md').matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)]
    const targets = links.map(([, path = '']) => path).filter((path) => !path.endsWith('/'))
    expect(targets.length).toBeGreaterThan(5)
    const inRepository = targets.filter((path) => existsSync(join(packageRoot, path)))
    expect(inRepository.filter((path) => !files.includes(path))).toEqual([])
  })

  test('holds nothing that was lying about, no sources and no tests', () => {
    expect(files.filter((path) => privateFiles.includes(path))).toEqual([])
    const isAllowed = (path: string) =>
      /^(LICENSE|[A-Z]+\.md|package\.json|(dist|migrations|simulator|docs|examples|deploy|scripts)\/)/.test(
        path,
      ) &&
      !/(^|\/)\.|\.test\.|\.conformance\.|\.map$|tsconfig|\/test-/.test(path) &&
      (path.startsWith('examples/') || path.endsWith('.d.ts') || !/\.tsx?$/.test(path))
    expect(files.filter((path) => !isAllowed(path))).toEqual([])
  })

  test('holds no secret and no path of the machine it was made on', () => {
    const forbidden = [
      /-----BEGIN [A-Z ]*PRIVATE KEY-----\r?\n(?!…|\.\.\.)/,
      /\best_[A-Za-z0-9_-]{43}\b/,
      /\b(AKIA[0-9A-Z]{16}|gh[ps]_[A-Za-z0-9]{36}|xox[abp]-[0-9]{8,}|EAA[A-Za-z0-9]{60,}|npm_[A-Za-z0-9]{36})\b/,
      /\/(home|Users)\/[a-z]+\/|[A-Z]:\\Users\\|\/root\//,
    ]
    const isText = (path: string) => !/\.(br|gz|png|woff2)$/.test(path)
    const found = files.filter(isText).flatMap((path) => {
      const text = textOf(path)
      const here = ['node_modules', 'src', 'dist'].map((name) => join(packageRoot, name))
      return [
        ...forbidden.filter((pattern) => pattern.test(text)),
        ...here.filter((place) => text.includes(place)),
      ].map((it) => `${path}: ${it}`)
    })
    expect(found).toEqual([])
  })

  test('depends on what its code imports, and on nothing else', async () => {
    const entries = [manifest.bin.estafet, 'dist/bench/server.js', 'dist/client/index.js']
    const outDir = createTestFolder()
    const metafile = join(outDir, 'package-imports.json')
    await runInstalled('esbuild', [
      ...entries.filter((path) => files.includes(path)).map((path) => unpacked(path)),
      ...['--bundle', '--packages=external', '--platform=node', '--format=esm'],
      ...[`--outdir=${join(outDir, 'bundled')}`, `--metafile=${metafile}`],
      '--log-level=error',
    ])
    const { outputs } = JSON.parse(readFileSync(metafile, 'utf8')) as {
      outputs: Record<string, { imports: { path: string }[] }>
    }
    const paths = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path))
    const imported = new Set(paths.filter((path) => !isBuiltin(path)).map(nameOf))
    // What `bench outbox` measures itself against comes with a clone.
    const onlyInAClone = ['graphile-worker', 'pg-boss']
    // Fastify would take a later one, which needs Node 22. An override reaches nobody who installs the tarball.
    const onlyToHoldBack = ['light-my-request']
    expect([...imported, ...onlyToHoldBack].sort()).toEqual(
      [...Object.keys(manifest.dependencies), ...onlyInAClone].sort(),
    )
  })
})

/** `npx estafet …` as a terminal starts it: a group of processes that Ctrl-C reaches all at once. */
function npx(...args: string[]) {
  const child = spawn('npx', ['--no-install', 'estafet', ...args], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // biome-ignore lint/style/noProcessEnv: where node and npm are; none of the gateway's settings.
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: tmpdir(),
      PORT: '0',
      SIMULATOR_PORT: '0',
      // Npm would ask the registry whether it is old.
      npm_config_update_notifier: 'false',
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const toAll = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal)
    return exited
  }
  afterFile(() => toAll('SIGKILL'))
  return { output: () => output, exited, toAll, hasEnded: () => child.exitCode !== null }
}

describe('installed in an empty folder', () => {
  test('npx estafet says its version and how it is used', async () => {
    const [version, help] = [npx('--version'), npx('--help')]
    await Promise.all([version.exited, help.exited])
    expect(version.output().split('\n')).toContain(manifest.version)
    for (const command of ['dev', 'start', 'bench'])
      expect(help.output()).toMatch(`\n  ${command} `)
  })

  test('npx estafet dev serves everything, and Ctrl-C ends it cleanly', async () => {
    const dev = npx('dev')
    const isReady = () => {
      if (dev.hasEnded()) throw new Error(dev.output())
      return dev.output().includes('Ctrl-C stops everything.')
    }
    await until('dev is ready', isReady, 200_000)
    const [, url] = /^Estafet +(\S+)$/m.exec(dev.output()) ?? []
    for (const path of ['/readyz', '/console', '/console/licenses.txt', '/docs', '/openapi.json']) {
      const answer = await fetch(url + path)
      expect([path, answer.status]).toEqual([path, 200])
      await answer.arrayBuffer()
    }
    expect(await (await fetch(`${url}/console`)).text()).toContain('<div id="console">')
    const [, phone = ''] = /^Customer phone +(\S+)$/m.exec(dev.output()) ?? []
    expect((await fetch(phone)).status).toBe(200)
    // What it suggests has to work here.
    expect(dev.output()).toContain('npx estafet doctor')
    expect(dev.output()).not.toContain('npm run')

    await dev.toAll('SIGINT')

    expect(dev.output()).toContain('SIGINT: stopping.')
    const left = ['postgres/postmaster.pid', 'postgres-owner.json', 'dev.env']
    expect(left.filter((name) => existsSync(join(folder, '.estafet', name)))).toEqual([])
    // It starts Estafet from the tarball, with a Postgres of its own that is made first: 200 s and the rest.
  }, 240_000)
})
