// What Chromium is told, and what it answers and tells, in its DevTools protocol.
import type { ChildProcess } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of shapes.
export type Anything = any

interface Waiting {
  method: string
  resolve(value: Anything): void
  reject(error: Error): void
  sessionId: string | undefined
}

type Listener = (method: string, params: Anything, sessionId: string | undefined) => void

export interface Connection {
  call(method: string, params?: object, sessionId?: string): Promise<Anything>
  /** Until the function that it returns is called. */
  on(listener: Listener): () => void
}

/** Over pipes, on which a message ends with a zero byte. */
export function connect({ stdio, stderr }: ChildProcess): Connection {
  const [, , , commands, answers] = stdio as [unknown, unknown, unknown, Writable, Readable]
  const waiting = new Map<number, Waiting>()
  const listeners = new Set<Listener>()
  let serial = 0
  let said = ''
  stderr?.setEncoding('utf8').on('data', (text) => {
    said = (said + text).slice(-4000)
  })
  function hear(message: string): void {
    const { id, result, error, method, params, sessionId } = JSON.parse(message)
    if (id === undefined) {
      if (method === 'Target.detachedFromTarget') giveUp(params.sessionId)
      for (const listener of listeners) listener(method, params, sessionId)
      return
    }
    const caller = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) caller?.resolve(result)
    else caller?.reject(new Error(`${error.message} (${JSON.stringify(error.data ?? null)})`))
  }
  let begun = ''
  answers.setEncoding('utf8').on('data', (text: string) => {
    const messages = (begun + text).split('\0')
    begun = messages.pop() ?? ''
    for (const message of messages) hear(message)
  })
  /** A page that is gone answers nothing any more. */
  function giveUp(gone: string): void {
    for (const [id, { method, sessionId, reject }] of waiting) {
      if (sessionId !== gone) continue
      waiting.delete(id)
      reject(new Error(`The page is gone, and has not answered ${method}.`))
    }
  }
  const hasEnded = () => new Error(`Chromium has ended.\n${said}`)
  answers.on('close', () => {
    for (const { reject } of waiting.values()) reject(hasEnded())
    waiting.clear()
  })
  // What is written to one that has ended is answered above.
  commands.on('error', () => undefined)
  return {
    async call(method, params = {}, sessionId) {
      if (answers.closed) throw hasEnded()
      serial++
      const id = serial
      commands.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`)
      return new Promise(
        (resolve, reject) => void waiting.set(id, { method, resolve, reject, sessionId }),
      )
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
