// Starts a server of server.ts in a process of its own and speaks to it.
import { fork } from 'node:child_process'
import { open, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { packageRoot } from '../src/package-root.ts'
import type { Command, ServerOptions } from './server.ts'

export interface BenchServer {
  url: string
  cpuMicros(): Promise<number>
  /** Processes stored events until nothing is due; returns how many. */
  drain(): Promise<number>
  /** What its log last complained about, for when a bench fails. */
  lastWarning(): Promise<string>
  stop(): Promise<void>
}

/** From source the child needs tsx, whatever runs the parent; a build needs nothing. */
export const isFromSource = import.meta.url.endsWith('.ts')
const entry = fileURLToPath(new URL(`./server.${isFromSource ? 'ts' : 'js'}`, import.meta.url))

type WithoutId<C> = C extends unknown ? Omit<C, 'id'> : never
interface Answer {
  id: number
  value?: unknown
  error?: string
}

export async function startServer(options: ServerOptions, logFile: string): Promise<BenchServer> {
  // As in production the log is on; a file takes it, so that no terminal is measured.
  const log = await open(logFile, 'a')
  const child = fork(entry, [], {
    cwd: packageRoot,
    execArgv: isFromSource ? ['--import', 'tsx'] : [],
    stdio: ['ignore', log.fd, 'inherit', 'ipc'],
  })
  await log.close()
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  child.on('message', ({ id, value, error }: Answer) => {
    const call = waiting.get(id)
    waiting.delete(id)
    if (error !== undefined) call?.reject(new Error(error))
    else call?.resolve(value)
  })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void gone.then(() => {
    for (const call of waiting.values()) call.reject(new Error('A server of the bench died.'))
  })
  let lastId = 0
  const call = (command: WithoutId<Command>) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      child.send({ id, ...command })
    })
  const stop = async () => {
    await call({ do: 'stop' })
    await gone
  }
  try {
    const url = (await call({ do: 'start', options })) as string
    return {
      url,
      cpuMicros: () => call({ do: 'cpu' }) as Promise<number>,
      drain: () => call({ do: 'drain' }) as Promise<number>,
      lastWarning: async () => {
        const lines = (await readFile(logFile, 'utf8')).split('\n')
        return lines.filter((line) => /"level":"(warn|error)"/.test(line)).at(-1) ?? 'nothing'
      },
      stop,
    }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** A request that was refused ends the bench; why it was is in the server's log. */
export async function explain(server: BenchServer, cause: Error): Promise<never> {
  throw new Error(`${cause.message} Its log says: ${await server.lastWarning()}`, { cause })
}
