// The real program in processes of its own, as an operator starts it: what it prints, how it ends, what it answers.

import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, type Db } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from './after-file.ts'
import { testPatience } from './database.ts'
import { freePort } from './free-port.ts'
import { bytesOf, operatorKey, signatureOf, testSecrets } from './gateway.ts'
import { checkLogLines } from './log-lines.ts'
import { resource } from './resources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How long a test waits for a condition: less than its own limit of 60 s, so that the failure names the condition. */
export const patienceMs = 50_000

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

// biome-ignore lint/suspicious/noExplicitAny: log lines have fields of every shape.
export type LogLine = Record<string, any>

export interface Program {
  pid: number
  stdout(): string
  stderr(): string
  /** The log lines of this event so far. */
  logged(event: string): LogLine[]
  /** Resolves once it logged such a line; rejects when it ends before that. */
  untilLogged(event: string): Promise<LogLine>
  /** Resolves once its output holds this; rejects when it ends before that. */
  untilPrinted(text: string | RegExp): Promise<void>
  exited: Promise<Exit>
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Exit>
}

/** What every process needs, whatever it is to find in its environment. */
export const bare = { PATH: '/usr/bin:/bin', TMPDIR: tmpdir() }

/** Starts `estafet <args>` with this environment and nothing else; killed after the test file if it still runs. `node`: the
 *  binary that runs it. */
export async function startProgram(
  args: string[],
  environment: Record<string, string>,
  file?: string,
  node = process.execPath,
): Promise<Program> {
  const program = file ?? (await resource('programs')).program
  const child = spawn(node, [program, ...args], {
    cwd: root,
    env: { ...bare, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let exit: Exit | undefined
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  // `close` comes after `exit`, when everything it wrote has been read.
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      exit = { code, signal }
      resolve(exit)
    })
  })
  afterFile(async () => {
    if (!exit) child.kill('SIGKILL')
    await exited
  })
  const stillRuns = (): undefined => {
    if (exit) throw new Error(`estafet ${args.join(' ')} ended (${exit.code}):\n${stdout}${stderr}`)
  }
  const logged = (event: string) => logLines(stdout).filter((line) => line.event === event)
  return {
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    logged,
    untilLogged: (event) => until(`it logs ${event}`, () => logged(event).at(-1) ?? stillRuns()),
    untilPrinted: async (text) => {
      const isThere = () => (typeof text === 'string' ? stdout.includes(text) : text.test(stdout))
      await until(`it prints ${text}`, () => isThere() || stillRuns())
    },
    exited,
    end: (signal) => {
      child.kill(signal)
      return exited
    },
  }
}

/** Whole lines that are JSON objects; `dev` prints others too. */
export function logLines(text: string): LogLine[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return whole.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
}

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a command to its end, in a process of its own; without one it takes a tenth of the time (commands.ts). */
export async function runProgram(
  args: string[],
  environment: Record<string, string>,
  input = '',
): Promise<Ran> {
  const { program } = await resource('programs')
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...bare, ...environment },
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout, stderr }
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  json: any
}

interface RequestOptions {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface GatewayProgram extends Program {
  url: string
  call(method: string, path: string, options?: RequestOptions): Promise<Reply>
  /** Delivers a signed webhook. */
  deliver(body: unknown, headers?: Record<string, string>): Promise<Reply>
  createTenant(
    name: string,
    number: { waba_id: string; phone_number_id: string },
  ): Promise<{ id: string; key: string }>
  pendingCount(): Promise<number>
}

/** Of every `estafet start` here: on a free port. */
export const gatewaySettings = {
  ...testSecrets,
  HOST: '127.0.0.1',
  PORT: '0',
  ALLOW_UNSAFE_DB: '1',
  // Nobody listens there: workers list templates by themselves, and no test may reach the real Meta.
  META_GRAPH_URL: 'http://127.0.0.1:9',
}

/** `estafet start`, once it listens. */
export async function startGatewayProgram(
  environment: Record<string, string>,
  file?: string,
  node?: string,
): Promise<GatewayProgram> {
  const program = await startProgram(['start'], { ...gatewaySettings, ...environment }, file, node)
  afterFile(async () => checkLogLines(program.stdout()))
  const { url } = await program.untilLogged('started')
  const call: GatewayProgram['call'] = (method, path, { key, body, headers } = {}) =>
    request(method, url + path, body === undefined ? undefined : bytesOf(body), {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    })
  const create = async (path: string, body: unknown) => {
    const reply = await call('POST', `/api/admin/tenants${path}`, { key: operatorKey, body })
    if (reply.status === 201) return reply.json
    throw new Error(`${path} was answered ${reply.status}: ${reply.text}`)
  }
  return {
    ...program,
    url,
    call,
    deliver: (body, headers) => deliverTo(url, bytesOf(body), headers),
    async createTenant(name, number) {
      const { id } = await create('', { name })
      const { key } = await create(`/${id}/api-keys`, { name: 'test' })
      const account = { ...number, display_phone_number: '+1 555-0100', access_token: 'a-token' }
      await create(`/${id}/accounts`, account)
      return { id, key }
    },
    async pendingCount() {
      const health = await call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
      return health.json?.webhook_events_pending_count ?? Number.NaN
    },
  }
}

export function deliverTo(
  url: string,
  raw: Buffer,
  headers: Record<string, string> = { 'x-hub-signature-256': signatureOf(raw) },
): Promise<Reply> {
  return request('POST', `${url}/api/webhooks/meta/whatsapp`, raw, {
    'content-type': 'application/json',
    ...headers,
  })
}

async function request(
  method: string,
  url: string,
  body: Buffer | undefined,
  headers: Record<string, string>,
): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers,
    signal: AbortSignal.timeout(patienceMs),
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}

type Falsy = false | '' | 0 | null | undefined

/** Looks again and again until there is something; a look that throws ends the wait. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = patienceMs,
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + withinMs
  // A look may cost more than what is waited for: less and less often.
  for (let pauseMs = 15; ; pauseMs = Math.min(pauseMs * 1.25, 150)) {
    const seen = await look()
    if (seen) return seen as Exclude<T, Falsy>
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** A directory of one's own, removed after the test file. */
export async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'estafet-e2e-'))
  afterFile(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))
  return directory
}

export interface OwnPostgres {
  url: string
  port: number
  /** Looks at the database from outside, as its superuser. */
  db: Db
  stop(): Promise<void>
  /** `kill -9` of the postmaster. */
  crash(): Promise<void>
  /** On the same files and the same port as before. */
  startAgain(): Promise<void>
}

/** Another test may take the port before the server listens on it. */
async function startOnFreePort(
  dataDir: string,
  settings: Record<string, string>,
  tries = 3,
): Promise<EmbeddedPostgres> {
  const port = await freePort()
  try {
    return await startEmbeddedPostgres({ dataDir, clock: systemClock, settings, port })
  } catch (error) {
    if (tries === 1 || !/address already in use|could not bind/i.test(String(error))) throw error
    return startOnFreePort(dataDir, settings, tries - 1)
  }
}

/** A Postgres server of one's own, to be stopped and crashed at will. */
export async function startOwnPostgres(settings: Record<string, string>): Promise<OwnPostgres> {
  const dataDir = await createDirectory()
  let server = await startOnFreePort(dataDir, settings)
  const { port } = server
  afterFile(() => server.stop())
  const { url } = server
  const db = connect({ url, name: 'test', poolSize: 2, ...testPatience })
  afterFile(() => db.close())
  return {
    url,
    port,
    db,
    stop: () => server.stop(),
    crash: () => server.crash(),
    async startAgain() {
      server = await startEmbeddedPostgres({ dataDir, clock: systemClock, settings, port })
    },
  }
}
