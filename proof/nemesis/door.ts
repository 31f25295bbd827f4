// One address before several gateways: what a load balancer is to Meta and to applications. Whoever is away is passed over.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterFile } from '../../test/support/after-file.ts'

/** `ports`: of those who are there now. */
export async function startDoor(ports: () => number[]): Promise<string> {
  const sockets = new Set<Socket>()
  let turn = 0

  function lead(caller: Socket, tries: number): void {
    const there = ports()
    const port = there[turn++ % there.length]
    if (port === undefined) return void caller.resetAndDestroy()
    const gateway = connect(port, '127.0.0.1')
    sockets.add(gateway)
    let isConnected = false
    gateway.on('error', () => undefined)
    gateway.once('connect', () => {
      isConnected = true
      caller.pipe(gateway)
      gateway.pipe(caller)
    })
    gateway.once('close', () => {
      sockets.delete(gateway)
      if (!isConnected && tries > 1 && !caller.destroyed) lead(caller, tries - 1)
      else caller.destroy()
    })
    caller.once('close', () => gateway.destroy())
  }

  const server = createServer((caller) => {
    sockets.add(caller)
    caller.on('error', () => undefined)
    caller.once('close', () => sockets.delete(caller))
    lead(caller, 2)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
