// Where in a message files are named: anywhere that one of Meta's five kinds holds an id or a link.
import { uuidOf } from '../ids.ts'
import { isObject } from '../meta/json.ts'
import { isMediaKind, type MediaKind } from './kinds.ts'

export interface MediaReference {
  kind: MediaKind
  /** `template.components.0.parameters.0.image`. */
  path: string
  /** As it is written; of Meta's own ids nothing is said here. */
  id: string | undefined
  /** When it is one of ours. */
  uuid: string | undefined
  link: string | undefined
}

/** Every file that is named, in the order of the message. What it looks at was checked, so it is not deep. */
export function mediaReferences(message: Record<string, unknown>): MediaReference[] {
  const found: MediaReference[] = []
  const look = (value: unknown, path: string, key: string) => {
    if (Array.isArray(value)) {
      for (const [index, one] of value.entries()) look(one, `${path}.${index}`, '')
      return
    }
    if (!isObject(value)) return
    if (isMediaKind(key)) {
      const id = typeof value.id === 'string' ? value.id : undefined
      const link = typeof value.link === 'string' ? value.link : undefined
      const uuid = id === undefined ? undefined : uuidOf('med', id)
      if (id !== undefined || link !== undefined) found.push({ kind: key, path, id, uuid, link })
    }
    for (const [name, inner] of Object.entries(value)) {
      look(inner, path === '' ? name : `${path}.${name}`, name)
    }
  }
  look(message, '', '')
  return found
}

/** The same message with Meta's ids in place of ours. */
export function withMetaIds(
  message: Record<string, unknown>,
  metaIds: Map<string, string>,
): Record<string, unknown> {
  const replace = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => replace(one, ''))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const metaId = name === 'id' && isMediaKind(key) ? metaIds.get(inner as string) : undefined
        return [name, metaId ?? replace(inner, name)]
      }),
    )
  }
  return replace(message, '') as Record<string, unknown>
}
