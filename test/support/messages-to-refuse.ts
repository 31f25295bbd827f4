// Messages that are wrong in one place, and the fields that are named for it.
import { sendRequest } from '../../src/outbox/message.ts'
import { type Content, interactiveMessages, plainMessages, templates } from './messages-to-send.ts'

/** The fields that are named as wrong, each once. */
export function wrongFields(content: unknown): string[] {
  const result = sendRequest.safeParse({ to: '16505550143', ...(content as Content) })
  const paths = (result.error?.issues ?? []).flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...issue.path, key])
      : [issue.path],
  )
  return [...new Set(paths.map((path) => path.map(String).join('.')))]
}

/** A copy with something else at this place; undefined takes it away. */
export function withValue(value: unknown, path: string, inner: unknown): unknown {
  const [key = '', ...rest] = path.split('.')
  const next = (old: unknown) => (rest.length === 0 ? inner : withValue(old, rest.join('.'), inner))
  if (Array.isArray(value)) {
    const copy = [...value]
    copy[Number(key)] = next(value[Number(key)])
    return copy
  }
  const { [key]: old, ...others } = (value ?? {}) as Record<string, unknown>
  const put = next(old)
  return put === undefined ? others : { ...others, [key]: put }
}

export function sampleMessage(name: string): Content {
  const found = { ...plainMessages, ...interactiveMessages, ...templates }[name]
  if (!found) throw new Error(`there is no sample called ${name}`)
  return found
}
