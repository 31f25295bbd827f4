// Between the processes and their Postgres: a network that loses answers, resets, is slow, or falls silent, by seeded dice.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterFile } from '../../test/support/after-file.ts'

/** What the network does at the moment; all of it can be at once. */
export interface Weather {
  /** The chance that the answer to a commit, or to a statement that is its own transaction, gets lost with its connection. */
  loseAnswer: number
  /** The chance that a connection is reset when something passes through it. */
  reset: number
  latencyMs: number
  /** Half-open: connections are accepted and stay, and nothing comes through in either direction. */
  isSilent: boolean
}

export interface NetworkCounts {
  lostCommits: number
  lostAnswers: number
  resets: number
}

export interface ShakyNetwork {
  port: number
  counts: NetworkCounts
  change(weather: Partial<Weather>): void
  /** These are as they should be again. Connections that fell silent stay as dead as they are. */
  heal(weather: Partial<Weather>): void
  /** Every connection there is. */
  resetAll(): void
}

const calm: Weather = { loseAnswer: 0, reset: 0, latencyMs: 0, isSilent: false }
/** The server is ready for the next query and in no transaction: what was asked is committed. */
const readyAndIdle = Buffer.from('Z\0\0\0\x05I', 'latin1')

export async function startShakyNetwork(
  targetPort: number,
  random: () => number,
): Promise<ShakyNetwork> {
  const sockets = new Set<Socket>()
  const silent = new WeakSet<Socket>()
  const counts: NetworkCounts = { lostCommits: 0, lostAnswers: 0, resets: 0 }
  let weather = calm

  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1')
    const toServer = delayed(upstream)
    const toClient = delayed(client)
    let isCommitting = false
    if (weather.isSilent) silent.add(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        // A peer that is gone says nothing, not even that it is gone.
        if (!silent.has(client)) other.destroy()
      })
    }
    client.on('data', (data) => {
      if (silent.has(client)) return
      if (random() < weather.reset) {
        counts.resets++
        return void client.resetAndDestroy()
      }
      isCommitting = data.includes('commit')
      toServer(data, weather.latencyMs)
    })
    upstream.on('data', (data) => {
      if (silent.has(client)) return
      if (weather.loseAnswer > 0 && data.includes(readyAndIdle) && random() < weather.loseAnswer) {
        counts.lostAnswers++
        if (isCommitting) counts.lostCommits++
        return void client.resetAndDestroy()
      }
      toClient(data, weather.latencyMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    change(change) {
      weather = { ...weather, ...change }
      if (change.isSilent) for (const socket of sockets) silent.add(socket)
    },
    heal(changed) {
      const healed = Object.keys(changed).map((key) => [key, calm[key as keyof Weather]])
      weather = { ...weather, ...Object.fromEntries(healed) }
    },
    resetAll() {
      counts.resets++
      for (const socket of sockets) socket.resetAndDestroy()
    },
  }
}

/** Writes later, and in order: what has to wait holds back all that comes after it. */
function delayed(to: Socket): (data: Buffer, latencyMs: number) => void {
  let last: Promise<unknown> | undefined
  return (data, latencyMs) => {
    if (last === undefined && latencyMs === 0) return void to.write(data)
    const before = last ?? Promise.resolve()
    const due = new Promise((resolve) => setTimeout(resolve, latencyMs))
    const mine: Promise<unknown> = Promise.all([before, due]).then(() => {
      to.write(data)
      if (last === mine) last = undefined
    })
    last = mine
  }
}
