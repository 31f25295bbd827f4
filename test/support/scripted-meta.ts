// A Meta that answers as the test says: with a recorded answer, or by hanging up when it has the request.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from './after-file.ts'
import { fixture } from './payloads.ts'

/** The name of a recorded answer, or what becomes of the connection. */
export type Script = string | 'accept' | 'hang up'

export interface ScriptedMeta {
  url: string
  /** What was posted, in order. */
  posts: Record<string, unknown>[]
  /** From now on. */
  answer(script: Script): void
}

export async function startScriptedMeta(): Promise<ScriptedMeta> {
  const posts: Record<string, unknown>[] = []
  let script: Script = 'accept'
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    posts.push(JSON.parse(Buffer.concat(parts).toString('utf8')))
    if (script === 'hang up') return void request.socket.destroy()
    const { status, headers, body } = answerOf(script, posts.length)
    response.writeHead(status, headers).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    answer: (next) => {
      script = next
    },
  }
}

function answerOf(script: Script, count: number) {
  const name = script === 'accept' ? 'send-ok' : script
  const answer = JSON.parse(fixture(`responses/${name}.json`).toString('utf8'))
  // A recorded name would be the same for all.
  if (script === 'accept') answer.body.messages = [{ id: `wamid.accepted-${count}` }]
  return answer
}
