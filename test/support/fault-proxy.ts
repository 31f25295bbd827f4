// A TCP proxy, before Postgres unless said, that fails the way networks do.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { afterFile } from './after-file.ts'

export interface FaultProxy {
  port: number
  /** Half-open from now on: connections are accepted and stay, and nothing comes through in either direction. */
  swallowEverything(): void
  /** Every connection is reset, and so is every new one. */
  refuseEverything(): void
  /** New connections work again. Those from before stay as dead as they were. */
  heal(): void
  /** The next statement that holds these bytes reaches the server and is done; its answer gets lost with the connection. */
  loseAnswerTo(bytes: string): void
  /** From now on the answer to a commit gets lost with its connection whenever `dice` says so. */
  loseCommits(dice: () => boolean): void
  lostAnswers(): number
}

/** The server is ready for the next query: the one before is committed. */
const postgresIsReady = 'Z\0\0\0\x05I'

/** `endOfAnswer`: what the server says when it is done. */
export async function startFaultProxy(
  targetPort: number,
  endOfAnswer = postgresIsReady,
): Promise<FaultProxy> {
  const sockets = new Set<Socket>()
  const swallowed = new WeakSet<Socket>()
  let isSwallowing = false
  let isRefusing = false
  let marked: string | undefined
  let isCommitToLose = () => false
  let lostAnswers = 0

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    const upstream = connect(targetPort, '127.0.0.1')
    let isAnswerToLose = false
    if (isSwallowing) swallowed.add(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        // A peer that is gone says nothing, not even that it is gone.
        if (!swallowed.has(client)) other.destroy()
      })
    }
    client.on('data', (data) => {
      if (swallowed.has(client)) return
      if (marked !== undefined && data.includes(marked)) {
        marked = undefined
        isAnswerToLose = true
      }
      if (data.includes('commit\0') && isCommitToLose()) isAnswerToLose = true
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (swallowed.has(client)) return
      if (!isAnswerToLose) {
        client.write(data)
      } else if (data.includes(endOfAnswer)) {
        lostAnswers++
        client.resetAndDestroy()
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    swallowEverything() {
      isSwallowing = true
      for (const socket of sockets) swallowed.add(socket)
    },
    refuseEverything() {
      isRefusing = true
      for (const socket of sockets) socket.resetAndDestroy()
    },
    heal() {
      isSwallowing = false
      isRefusing = false
    },
    loseAnswerTo(bytes) {
      marked = bytes
    },
    loseCommits(dice) {
      isCommitToLose = dice
    },
    lostAnswers: () => lostAnswers,
  }
}

/** One in front of a database, and the database's address through it. */
export async function startDatabaseProxy(
  databaseUrl: string,
): Promise<{ proxy: FaultProxy; url: string }> {
  const address = new URL(databaseUrl)
  const proxy = await startFaultProxy(Number(address.port))
  // The tests' own server is also reached through a socket; a proxy knows ports.
  address.hostname = '127.0.0.1'
  address.port = String(proxy.port)
  return { proxy, url: address.href }
}
