// A Meta whose files behave as the test says, and that writes down who asked for what with which token.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from './after-file.ts'

export interface FileHost {
  url: string
  /** Path and token of every call, in order. */
  calls: { path: string; authorization: string | undefined }[]
  /** What the look-up of any file says from now on; its `url` is that of `serve` unless given. */
  describe(file: Record<string, unknown>): void
  /** How the file itself is given from now on. */
  serve(answer: (request: IncomingMessage, response: ServerResponse) => void): void
}

export async function startFileHost(): Promise<FileHost> {
  const calls: FileHost['calls'] = []
  let file: Record<string, unknown> = {}
  let answer: Parameters<FileHost['serve']>[0] = (_request, response) => void response.end()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    calls.push({ path, authorization: request.headers.authorization })
    response.on('error', () => undefined)
    if (path.startsWith('/file')) return answer(request, response)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ url: `${url}/file`, ...file }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  return {
    url,
    calls,
    describe: (next) => {
      file = next
    },
    serve: (next) => {
      answer = next
    },
  }
}
