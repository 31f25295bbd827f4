// Commands of the program without a process each: most take less time than to load it. What only a process of its own can show,
// its signals, its pipes and how it ends, is in cli.db.test.ts.
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { bare, patienceMs, type Ran } from './program.ts'
import { resource } from './resources.ts'

interface Resident {
  child: ChildProcess
  /** Never resolves. */
  died: Promise<never>
}

interface Ended {
  code: number
  /** It takes no other command. */
  isLast: boolean
}

let resident: Resident | undefined
let before: Promise<unknown> = Promise.resolve()

/** One at a time. The process ends with the one of the tests. */
export function runCommand(
  args: string[],
  environment: Record<string, string>,
  input = '',
): Promise<Ran> {
  const running = before.then(() => run(args, environment, input))
  before = running.catch(() => undefined)
  return running
}

async function run(
  args: string[],
  environment: Record<string, string>,
  input: string,
): Promise<Ran> {
  resident ??= startResident((await resource('programs')).build)
  const { child, died } = resident
  // Nobody else would end it, and the next one waits for it.
  const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const mark = `\n${randomUUID()}`
  const printed = Promise.all([child.stdout, child.stderr].map((one) => textUntil(mark, one)))
  const ended = new Promise<Ended>((resolve) => child.once('message', resolve))
  child.send({ args, environment: { ...bare, ...environment }, input, mark })
  try {
    const [{ code, isLast }, [stdout = '', stderr = '']] = await Promise.race([
      Promise.all([ended, printed]),
      died,
    ])
    if (isLast) resident = undefined
    return { code, stdout, stderr }
  } finally {
    clearTimeout(patience)
  }
}

function startResident(build: string): Resident {
  const file = fileURLToPath(new URL('resident.mjs', import.meta.url))
  const child = fork(file, [build], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: bare,
    execArgv: [],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8')
  const died = once(child, 'exit').then(() => {
    if (resident?.child === child) resident = undefined
    throw new Error('the process that runs commands has ended')
  })
  // Between commands nobody waits for that.
  died.catch(() => undefined)
  return { child, died }
}

function textUntil(mark: string, stream: Readable | null): Promise<string> {
  let text = ''
  return new Promise((resolve) => {
    stream?.on('data', function read(part: string) {
      text += part
      const end = text.indexOf(mark)
      if (end === -1) return
      stream.off('data', read)
      resolve(text.slice(0, end))
    })
  })
}
