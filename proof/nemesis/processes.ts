// Gateways and workers as an operator runs them: each a process of its own, watched, and started again whenever it ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../../test/support/after-file.ts'
import type { Span } from '../checks/span.ts'

export interface Member {
  name: string
  role: 'api' | 'worker'
  pid(): number | undefined
  /** Where it listens; undefined until it said so. */
  port(): number | undefined
  /** SIGKILL, SIGTERM, SIGSTOP, SIGCONT; nothing where it is not running. */
  signal(signal: NodeJS.Signals): void
  /** What the next starts find in their environment besides; it is killed, so that it starts anew. */
  startAnewWith(more: Record<string, string>): void
  /** What it wrote: a file for each of its outputs. */
  outputs: string[]
  crashLog: string
  starts(): number
  /** How it ended, each time that nobody had asked it to. */
  surprises: string[]
  /** From when to when it was gone, told to end, or stood still. */
  outages: Span[]
}

export interface MemberOptions {
  name: string
  role: 'api' | 'worker'
  program: string
  folder: string
  environment: Record<string, string>
}

/** As a service manager waits before it tries again. */
const pauseMs = 200

export function startMember({ name, role, program, folder, environment }: MemberOptions): Member {
  const [out, err] = [join(folder, `${name}.out`), join(folder, `${name}.err`)]
  const crashLog = join(folder, `${name}.crashes`)
  const surprises: string[] = []
  const outages = createOutages()
  const hasDiedAnew = watchDeaths(crashLog)
  /** What the process that runs now was sent. */
  let sent = new Set<NodeJS.Signals>()
  let child: ChildProcess | undefined
  let more: Record<string, string> = {}
  let port: number | undefined
  let starts = 0
  let isOver = false

  function start(): void {
    if (isOver) return
    starts++
    const errors = openSync(err, 'a')
    const started = spawn(process.execPath, [program, 'start'], {
      cwd: packageRoot,
      env: {
        ...{ PATH: '/usr/bin:/bin', TMPDIR: tmpdir(), CRASH_LOG: crashLog, ROLES: role },
        ...environment,
        ...more,
      },
      stdio: ['ignore', 'pipe', errors],
    })
    closeSync(errors)
    child = started
    port = undefined
    const asked = new Set<NodeJS.Signals>()
    sent = asked
    outages.end()
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      appendFileSync(out, text)
      port ??= portIn(text)
    })
    started.once('exit', (code, signal) => {
      child = undefined
      port = undefined
      outages.begin()
      const isOfPoint = signal === 'SIGKILL' && hasDiedAnew()
      if (!isOfPoint && !isAsked(asked, code, signal) && !isOver)
        surprises.push(`${name} ended with ${signal ?? `code ${code}`}`)
      setTimeout(start, pauseMs)
    })
  }

  function send(signal: NodeJS.Signals): void {
    sent.add(signal)
    child?.kill(signal)
  }

  start()
  afterFile(async () => {
    isOver = true
    const last = child
    if (!last) return
    const gone = new Promise((resolve) => last.once('exit', resolve))
    last.kill('SIGCONT')
    last.kill('SIGKILL')
    await gone
  })
  return {
    name,
    role,
    pid: () => child?.pid,
    port: () => port,
    signal(signal) {
      if (!child) return
      if (signal === 'SIGCONT') outages.end()
      else outages.begin()
      send(signal)
    },
    startAnewWith(environment) {
      more = environment
      outages.begin()
      send('SIGKILL')
    },
    outputs: [out, err],
    crashLog,
    starts: () => starts,
    surprises,
    outages: outages.spans,
  }
}

/** The one that lasts is without end. */
function createOutages() {
  const spans: Span[] = []
  const lasting = () => spans.findLast(({ toMs }) => toMs === Number.POSITIVE_INFINITY)
  return {
    spans,
    begin() {
      if (!lasting()) spans.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY })
    },
    end() {
      const span = lasting()
      if (span) span.toMs = Date.now()
    },
  }
}

/** Whether it died at a crash point since it was last asked. */
function watchDeaths(crashLog: string): () => boolean {
  let known = 0
  return () => {
    const text = existsSync(crashLog) ? readFileSync(crashLog, 'utf8') : ''
    const before = known
    known = text.match(/^died /gm)?.length ?? 0
    return known > before
  }
}

/** By itself nothing ends, not even in peace; and a SIGKILL that nobody here sent is somebody else's. */
export const isAsked = (sent: Set<string>, code: number | null, signal: string | null) =>
  signal === null ? code === 0 && sent.has('SIGTERM') : sent.has(signal)

function portIn(text: string): number | undefined {
  const [, port] = /"event":"started","url":"http:\/\/[^:]+:(\d+)"/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}
