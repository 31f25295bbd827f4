// A closed-loop load generator: each connection sends its next request when the last one is answered. Raw sockets and
// requests made beforehand, because it shares the machine with what it measures.
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { pause } from './measure.ts'

export interface Load {
  /** Forgets what was measured so far and starts anew; what is under way goes on. */
  reset(): void
  /** What was answered since `reset`. */
  latenciesMs: number[]
  elapsedMs(): number
  /** Stops sending, waits for what is under way, and hangs up. Returns how many were answered with 200 in all. */
  stop(): Promise<number>
  /** Resolves when every request has been sent and answered. */
  finished: Promise<void>
}

export interface LoadOptions {
  url: string
  requests: Buffer[]
  connections: number
  /** Starts over when the requests run out; otherwise each is sent once. */
  reuse?: boolean
}

export async function startLoad(options: LoadOptions): Promise<Load> {
  const { requests, connections } = options
  const { hostname, port } = new URL(options.url)
  let next = 0
  let accepted = 0
  let running = true
  let failure: Error | undefined
  let startedAt = performance.now()
  let endedAt: number | undefined
  const load: Load = {
    latenciesMs: [],
    reset() {
      load.latenciesMs = []
      startedAt = performance.now()
    },
    elapsedMs: () => (endedAt ?? performance.now()) - startedAt,
    async stop() {
      running = false
      await finished
      if (failure) throw failure
      return accepted
    },
    finished: Promise.resolve(),
  }

  function drive(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      let sentAt = 0
      let answer = ''
      const finish = (error?: Error) => {
        failure ??= error
        socket.removeAllListeners().on('error', () => undefined)
        socket.destroy()
        resolve()
      }
      const send = () => {
        if (next === requests.length && options.reuse) next = 0
        const request = running && !failure ? requests[next++] : undefined
        if (!request) return finish()
        sentAt = performance.now()
        socket.write(request)
      }
      socket.on('data', (chunk) => {
        answer += chunk.toString('latin1')
        const status = completeStatus(answer)
        if (status === undefined) return
        if (status !== 200) return finish(new Error(`A request was answered with ${status}.`))
        answer = ''
        accepted++
        load.latenciesMs.push(performance.now() - sentAt)
        send()
      })
      socket.on('error', finish)
      socket.on('close', () => finish(new Error('The server hung up.')))
      send()
    })
  }

  const sockets = await Promise.all(
    Array.from({ length: connections }, () => open(hostname, Number(port))),
  )
  load.reset()
  const finished = Promise.all(sockets.map(drive)).then(() => {
    endedAt = performance.now()
  })
  load.finished = finished
  return load
}

/** Undefined until the whole answer is there. */
function completeStatus(answer: string): number | undefined {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer) ?? []
  if (answer.length < headEnd + 4 + Number(length ?? 0)) return undefined
  return Number(answer.slice(9, 12))
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

/** Lets the load run for this long, or until its requests are used up. */
export async function runFor(load: Load, seconds: number): Promise<void> {
  await Promise.race([pause(seconds * 1000), load.finished])
}
