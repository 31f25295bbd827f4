// What can be done to any node of a JSON value. Shared by every test that puts odd things where others are expected.

export type Path = (string | number)[]
export type Change = (old: unknown) => unknown

/** Text that stands in the JSON as it is: what no value of JavaScript is written as. */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Below this nobody looks for nodes: it is only there to be deep. */
const deepestNode = 40

/** Every node of a value below its root. */
export function pathsIn(value: unknown, at: Path = []): Path[] {
  const own: Path[] = at.length > 0 ? [at] : []
  if (typeof value !== 'object' || value === null || at.length > deepestNode) return own
  return own.concat(
    Object.entries(value).flatMap(([key, inner]) =>
      pathsIn(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  )
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

/** Each by its name; what they leave can be written with `JSON.stringify`. */
export const changes: Record<string, Change> = {
  deleted: () => undefined,
  'made null': () => null,
  'made a text': () => 'text',
  'made an empty text': () => '',
  'made a word that every object has': () => 'constructor',
  'made a time in milliseconds': () => 1788300037000,
  'made a number': () => 7,
  'made a negative number': () => -1,
  'made a huge number': () => 1e308,
  'made a number that loses digits': () => 2 ** 53 + 2,
  'made true': () => true,
  'made a list': (old) => [old],
  'made an empty list': () => [],
  'made an object': (old) => ({ inner: old }),
  'made an object that looks like a list': () => ({ length: 3, 0: 'x' }),
  'made long': () => 'x'.repeat(2_000),
  'given half a pair and a NUL': () => '\ud800\u0000',
  'turned around': () => '\u202eabc\u2066\u0301\u0301',
  'nested deeply': () => JSON.parse(nested(300)),
  'given a prototype': () => JSON.parse('{"__proto__":{"kind":"message"},"toString":1}'),
  'given each item twice': (old) =>
    Array.isArray(old) ? old.flatMap((item) => [item, item]) : old,
  'made a list of itself': (old) => Array.from({ length: 20 }, () => old),
}

const doubled = (key: string, old: unknown) => {
  const text = toJson(old ?? null)
  return new RawJson(`{"${key}":${text},"${key}":null,"${key}":${text}}`)
}

/** Every key is there twice: the last of them counts, as it does for whoever reads JSON. */
const withKeysTwice = (old: unknown) => {
  if (typeof old !== 'object' || old === null || old instanceof RawJson) return old
  if (Array.isArray(old)) return old
  const first = Object.entries(old).flatMap(([key, value]) =>
    value === undefined ? [] : `${JSON.stringify(key)}:null`,
  )
  if (first.length === 0) return old
  return new RawJson(`{${first.join(',')},${toJson(old).slice(1)}`)
}

/** The same, and what only `toJson` can write. */
export const wireChanges: Record<string, Change> = {
  ...changes,
  'given each of its keys twice': withKeysTwice,
  'given a key twice': (old) => doubled('id', old),
  'given a prototype twice': (old) => doubled('__proto__', old),
  'made a number beyond all': () => new RawJson('1e999'),
  'made minus nothing': () => new RawJson('-0.0'),
  'made a number of many digits': () => new RawJson('9'.repeat(400)),
  'escaped needlessly': () => new RawJson('"\\u0074\\u0065\\u0078\\u0074\\/"'),
  'nested more deeply': () => new RawJson(nested(2_000)),
}

/** Rare: each is work for a second. */
export const heavyChanges: Record<string, Change> = {
  'made ten thousand': (old) => {
    const text = toJson(old ?? null)
    const count = Math.min(10_000, Math.ceil(1_000_000 / (text.length + 1)))
    return new RawJson(`[${Array.from({ length: count }, () => text).join(',')}]`)
  },
  'made very long': () => 'ä'.repeat(400_000),
  'given very many keys': () =>
    new RawJson(`{${Array.from({ length: 20_000 }, (_, key) => `"k${key}":1`).join(',')}}`),
  'nested to the bottom': () => new RawJson(nested(20_000)),
  'nested beyond every stack': () => new RawJson(nested(400_000)),
}

/** A copy with one node changed; deleting from a list leaves its neighbours where they were. What an earlier change has
 *  taken away stays away. */
export function changed(value: unknown, path: Path, change: Change): unknown {
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((inner, index) => (index === key ? changed(inner, rest, change) : inner))
  }
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value
  const object = value as Record<string, unknown>
  return { ...object, [key]: changed(object[key], rest, change) }
}

/** As `JSON.stringify`, with raw text in it, and without a message about what cannot be written. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map((inner) => toJson(inner)).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const pairs = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${toJson(inner)}`).join(',')}}`
}
