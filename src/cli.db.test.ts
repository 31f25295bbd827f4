// The command line as a whole: what it says of itself, and how it ends.
import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../test/support/after-file.ts'
import { createTestDb } from '../test/support/database.ts'
import { freePort } from '../test/support/free-port.ts'
import { testSecrets } from '../test/support/gateway.ts'
import { runProgram, startProgram, until } from '../test/support/program.ts'
import { resource } from '../test/support/resources.ts'
import { createProgram } from './cli-program.ts'
import type { CliCommand } from './commands/cli-command.ts'
import { sql } from './db/connect.ts'

const { program } = await resource('programs')

const everyCommand = leavesOf(createProgram(), [])

function leavesOf(command: CliCommand, path: string[]): { path: string; command: CliCommand }[] {
  const children = command.commands as CliCommand[]
  if (children.length === 0) return [{ path: path.join(' '), command }]
  return children.flatMap((child) => leavesOf(child, [...path, child.name()]))
}

describe('every command', () => {
  test('has a description, and examples of itself with options that exist', () => {
    for (const { path, command } of everyCommand) {
      expect(command.description(), path).not.toBe('')
      expect(command.helpInformation(), path).toContain(`Usage: estafet ${path}`)
      expect(command.examples.length, path).toBeGreaterThan(0)
      for (const example of command.examples) {
        expect(`${example} `).toMatch(new RegExp(`^${path} `))
        const [typed = ''] = example.split('#')
        for (const [option] of typed.matchAll(/--[a-z-]+/g)) {
          expect(
            command.options.map(({ long }) => long),
            `${example}: ${option}`,
          ).toContain(option)
        }
        const missing = command.options.filter(
          ({ mandatory, long }) => mandatory && !typed.includes(long ?? '?'),
        )
        expect(missing, example).toEqual([])
      }
    }
  })

  test('answers with JSON when asked, but those that serve', () => {
    const silent = everyCommand.filter(
      ({ command }) => !command.options.some(({ long }) => long === '--json'),
    )
    expect(silent.map(({ path }) => path)).toEqual(['start', 'dev', 'simulator'])
  })

  test('of the contract is there', () => {
    const named = ['start', 'dev', 'migrate', 'simulator', 'tenant create', 'account connect']
    const more = ['key create', 'user create', 'dlq list', 'dlq inspect', 'dlq requeue']
    const rest = ['dlq discard', 'trace', 'health', 'doctor', 'bench ingest']
    const paths = everyCommand.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining([...named, ...more, ...rest]))
  })
})

const environment = { ...testSecrets, ESTAFET_ENV: 'development' }

describe('how it ends', () => {
  test('with 0 for help, in groups, and without colours unless they are wanted', async () => {
    const [plain, painted] = await Promise.all([
      runProgram(['--help'], {}),
      runProgram(['--help'], { FORCE_COLOR: '1' }),
    ])
    expect(plain).toMatchObject({ code: 0, stderr: '' })
    expect(plain.stdout).toMatch(/^Serving:\n {2}start +serve/m)
    expect(plain.stdout).toContain('Exit codes: 0 done;')
    expect(plain.stdout).not.toContain('\u001b')
    expect(painted.stdout).toContain('\u001b[1mServing:')
  })

  test('with 2 when it is not understood, and names what was meant', async () => {
    const [typo, option, json, none] = await Promise.all([
      runProgram(['helth'], {}),
      runProgram(['dlq', 'list', '--lmit', '3'], {}),
      runProgram(['dlq', 'lst', '--json'], {}),
      runProgram([], {}),
    ])
    expect(typo).toMatchObject({ code: 2, stdout: '' })
    expect(typo.stderr).toContain('Did you mean health?')
    expect(option).toMatchObject({ code: 2, stdout: '' })
    expect(option.stderr).toContain('Did you mean --limit?')
    expect(json).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'WRONG_USAGE' })
    expect(none).toMatchObject({ code: 2, stdout: '' })
    expect(none.stderr).toContain('Usage: estafet')
  })

  test('with 1 and a sentence when it cannot work', async () => {
    const nowhere = { DATABASE_URL: 'postgres://postgres:a-password@127.0.0.1:9/estafet' }
    const { url } = await createTestDb()
    const [unset, gone, json, unknown] = await Promise.all([
      runProgram(['health'], { ...nowhere, ESTAFET_ENV: 'development' }),
      runProgram(['health'], { ...environment, ...nowhere }),
      runProgram(['migrate', '--json'], { ...environment, ...nowhere }),
      runProgram(['tenant', 'show', 'nobody', '--json'], { ...environment, DATABASE_URL: url }),
    ])
    expect(unset).toMatchObject({ code: 1, stdout: '' })
    expect(unset.stderr).toContain('ENCRYPTION_KEYS: is missing; set')
    expect(gone).toMatchObject({ code: 1, stdout: '' })
    expect(gone.stderr).toMatch(/^The database cannot be reached \(.*\)\. Is Postgres up/)
    expect(json).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(json.stderr).error).toMatchObject({ code: 'UNAVAILABLE' })
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(JSON.parse(unknown.stderr)).toEqual({
      error: { code: 'TENANT_NOT_FOUND', message: 'There is no such tenant.' },
    })
  })

  test('with 130 after Ctrl-C, without a word', async () => {
    const mute = createServer().listen(0, '127.0.0.1')
    await once(mute, 'listening')
    afterFile(async () => mute.close())
    const { port } = mute.address() as AddressInfo
    const asked = once(mute, 'connection')
    const url = `postgres://postgres:a-password@127.0.0.1:${port}/estafet`
    const program = await startProgram(['health'], { ...environment, DATABASE_URL: url })
    await asked

    expect(await program.end('SIGINT')).toEqual({ code: 130, signal: null })
    expect([program.stdout(), program.stderr()]).toEqual(['', ''])
  })

  test('once all is written, however late somebody reads', async () => {
    const { url, db } = await createTestDb()
    // More than a pipe and the ends of it hold.
    await db.query(sql`
      insert into tenants (id, name, slug, created_at, updated_at)
      select gen_random_uuid(), repeat('x', 20000), 'firm-' || n, now(), now()
      from generate_series(1, 100) as n`)
    const env = { ...environment, DATABASE_URL: url }
    const list = ['tenant', 'list', '--limit', '200', '--json']
    const child = spawn(process.execPath, [program, ...list], { env })
    const ended = once(child, 'close')
    const isConnected = () =>
      db.query(sql`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
          and application_name <> 'test'`)
    // It is done with everything but its output, of which nobody has read more than the beginning.
    await once(child.stdout, 'readable')
    await until('it has asked', async () => (await isConnected()).length === 0)

    const printed = await text(child.stdout)

    expect(JSON.parse(printed).data).toHaveLength(100)
    expect(await ended).toEqual([0, null])
  })

  test('with 1 where nothing can be written', async () => {
    const full = await open('/dev/full', 'w')
    const stdio: StdioOptions = ['ignore', full.fd, 'pipe']
    const child = spawn(process.execPath, [program, 'config'], { stdio })
    const ended = once(child, 'close')
    const said = await text(child.stderr as Readable)

    expect(await ended).toEqual([1, null])
    expect(said).toContain('no space left on device')
    await full.close()
  })

  test('not at all because nobody reads on', async () => {
    const start = async () => {
      const port = String(await freePort())
      const child = spawn(process.execPath, [program, 'simulator', '--port', port])
      child.stdout.destroy()
      const [exited, said] = [once(child, 'exit'), text(child.stderr)]
      const isUp = async () =>
        child.exitCode !== null ||
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        )
      await until('it is up', isUp)
      return { child, exited, said }
    }
    let started = await start()
    // Another process may take the port in the meantime.
    while (started.child.exitCode !== null && (await started.said).includes('is taken')) {
      started = await start()
    }
    started.child.kill('SIGTERM')

    expect(await started.exited).toEqual([0, null])
  })
})
