// The client of Estafet's API: `createClient` for calls, `verifyEvent` for the events that come. Needs nothing but `fetch`.
import { makeCall } from './call.ts'
import { checkType, notOurs } from './error.ts'
import { streamEvents } from './event-stream.ts'
import { type Api, operations, type Spec, type StreamQuery } from './generated.ts'
import type { ClientOptions, Page, SendOptions, UploadedFile } from './model.ts'
import { createPages } from './pages.ts'

// biome-ignore lint/performance/noBarrelFile: this is what the package gives to others.
export { type ClientErrorCode, EstafetError, type ProviderError } from './error.ts'
export type * from './generated.ts'
export type * from './model.ts'
export {
  EventVerificationError,
  type GivenHeaders,
  type VerifyOptions,
  verifyEvent,
} from './verify-event.ts'

export type Client = Api

/** `client.messages.send(…)` is the operation `messages.send` of the API's description, and so are all the others. */
export function createClient(options: ClientOptions): Client {
  const client: Tree = {}
  for (const [id, spec] of Object.entries(operations)) {
    const words = id.split('.')
    const name = words.pop() ?? ''
    let place = client
    for (const word of words) {
      const next = (place[word] ?? {}) as Tree
      place[word] = next
      place = next
    }
    place[name] = methodOf(options, spec)
  }
  return client as unknown as Api
}

interface Tree {
  [name: string]: Tree | ((...given: unknown[]) => unknown)
}

/** Its ids first, then what it takes, then how to call. */
function methodOf(client: ClientOptions, spec: Spec) {
  return (...given: unknown[]): unknown => {
    if (spec.gives === 'stream') {
      const [query, how] = given as [StreamQuery?, SendOptions?]
      return streamEvents(client, query, how)
    }
    let path = spec.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(idIn(given.shift())))
    const input = spec.takes === 'nothing' ? undefined : given.shift()
    const options = given.shift() as SendOptions | undefined
    if (spec.gives === 'page') {
      const { after, ...query } = { ...(input as { after?: string }) }
      const fetchPage = (cursor: string | undefined) =>
        makeCall(client, { spec, path: path + search({ ...query, after: cursor }), options }, json)
      return createPages(fetchPage as (after?: string) => Promise<Page<unknown>>, after)
    }
    if (spec.takes === 'query') path += search(input as object | undefined)
    const body = spec.takes === 'form' ? form(input as UploadedFile) : bodyIn(spec, input)
    return makeCall(client, { spec, path, body, options }, readers[spec.gives])
  }
}

function idIn(given: unknown): string {
  // Dots would lead to another place, and no encoding keeps them from it.
  if (typeof given === 'string' && !['', '.', '..'].includes(given)) return given
  throw new TypeError('an id must be a text that is not empty, and no dots')
}

const bodyIn = ({ takes }: Spec, input: unknown) => (takes === 'body' ? input : undefined)

function search(query: object = {}): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) given.set(name, String(value))
  }
  return given.size === 0 ? '' : `?${given}`
}

function form({ file, filename, type }: UploadedFile): FormData {
  const parts = new FormData()
  // Before the file: it is judged while it comes.
  if (type !== undefined) parts.set('type', type)
  parts.set('file', file, filename ?? 'file')
  return parts
}

async function json(response: Response): Promise<unknown> {
  await checkType(response, 'application/json')
  return response.json()
}

const readers: Record<
  Exclude<Spec['gives'], 'page' | 'stream'>,
  (response: Response) => Promise<unknown>
> = {
  json,
  text: async (response) => {
    await checkType(response, 'text/plain')
    return response.text()
  },
  // Its bytes are for the caller to read.
  file: async (response) => response,
  nothing: async (response) => {
    if (response.status !== 204) throw await notOurs(response, 'nothing')
    await response.body?.cancel()
  },
}
