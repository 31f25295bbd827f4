// Gateways and workers as an operator runs them: each a process of its own, watched, and started again whenever it ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../../test/support/after-file.ts'

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
/** A process that is told to stop may end with any of these. */
const asked: NodeJS.Signals[] = ['SIGKILL', 'SIGTERM']

export function startMember({ name, role, program, folder, environment }: MemberOptions): Member {
  const [out, err] = [join(folder, `${name}.out`), join(folder, `${name}.err`)]
  const crashLog = join(folder, `${name}.crashes`)
  const surprises: string[] = []
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
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      appendFileSync(out, text)
      port ??= portIn(text)
    })
    started.once('exit', (code, signal) => {
      child = undefined
      port = undefined
      const isExpected = signal === null ? code === 0 : asked.includes(signal)
      if (!isExpected && !isOver) surprises.push(`${name} ended with ${signal ?? `code ${code}`}`)
      setTimeout(start, pauseMs)
    })
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
    signal: (signal) => void child?.kill(signal),
    startAnewWith(environment) {
      more = environment
      child?.kill('SIGKILL')
    },
    outputs: [out, err],
    crashLog,
    starts: () => starts,
    surprises,
  }
}

function portIn(text: string): number | undefined {
  const [, port] = /"event":"started","url":"http:\/\/[^:]+:(\d+)"/.exec(text) ?? []
  return port === undefined ? undefined : Number(port)
}
