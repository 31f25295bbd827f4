import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that Linux (from 32768) and macOS (from 49152) give to listeners on port 0 and to outgoing connections. */
const [first, count] = [10_000, 20_000]
/** Processes that run side by side have other pids, and so begin elsewhere. */
let tried = process.pid * 101

/** A port that nobody listens on, and that the system gives to nobody by itself: it is still free after a server on it was stopped.
 *  Another test process may find the same one at the same moment, so a caller tries another one when it is taken. */
export async function freePort(): Promise<number> {
  for (;;) {
    tried++
    const port = first + (tried % count)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const listening = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!(await listening)) return false
  server.close()
  await once(server, 'close')
  return true
}
