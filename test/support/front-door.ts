// An address that stays while the gateway behind it comes and goes: what a load balancer is to Google and to Meta.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterFile } from './after-file.ts'

export interface FrontDoor {
  url: string
  /** Where to from now on; undefined: nobody is there, and every connection is reset. */
  lead(to: string | undefined): void
  /** Requests that hold these bytes reach the gateway; their answers get lost with the connection. Undefined: no more. A
   *  browser repeats one by itself when a used connection breaks, so that one lost answer may not reach its page. */
  loseAnswersTo(bytes: string | undefined): void
}

export async function startFrontDoor(): Promise<FrontDoor> {
  const sockets = new Set<Socket>()
  let port: number | undefined
  let marked: string | undefined
  const server = createServer((caller) => {
    if (port === undefined) return void caller.resetAndDestroy()
    const gateway = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [caller, gateway],
      [gateway, caller],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    let isAnswerToLose = false
    caller.on('data', (data) => {
      if (marked !== undefined && data.includes(marked)) isAnswerToLose = true
    })
    caller.pipe(gateway)
    gateway.on('data', (data) => {
      if (isAnswerToLose) caller.resetAndDestroy()
      else caller.write(data)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lead(to) {
      port = to === undefined ? undefined : Number(new URL(to).port)
      if (port === undefined) for (const socket of sockets) socket.resetAndDestroy()
    },
    loseAnswersTo(bytes) {
      marked = bytes
    },
  }
}
