import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFeed } from '../feed.ts'
import { type Scene, shop, startScene } from '../test-support.ts'
import { systemClock } from '../time-and-chance.ts'
import { createEventStream } from './event-stream.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

interface SeenEvent {
  id: string
  event: string
  data: Record<string, unknown>
}

/** Reads the stream until `enough` says so, then hangs up. */
async function readFeed(
  headers: Record<string, string>,
  enough: (seen: SeenEvent[]) => boolean,
  query = '',
): Promise<SeenEvent[]> {
  const hangUp = new AbortController()
  const url = `${scene.simulator.url}/simulator/feed${query}`
  const response = await fetch(url, { headers, signal: hangUp.signal })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const seen: SeenEvent[] = []
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8')
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, event, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/m.exec(block) ?? []
      if (id && event && data) seen.push({ id, event, data: JSON.parse(data) })
    }
    if (enough(seen)) break
  }
  hangUp.abort()
  return seen
}

const write = (text: string) =>
  scene.simulator.customerWrites('15550100101', {
    phone_number_id: shop.phone_number_id,
    type: 'text',
    text,
  })
const cursor = async () => (await scene.call('GET', '/simulator/phone/state')).body.cursor
const messages = (seen: SeenEvent[]) => seen.filter(({ event }) => event === 'customer_message')
const wordsOf = (seen: SeenEvent[]) =>
  messages(seen).map(({ data }) => (data.content as { body: string }).body)

test('tells what happens as it happens', async () => {
  const start = await cursor()
  const reading = readFeed({}, (seen) => messages(seen).length === 1, `?after=${start}`)
  const wamid = write('Hello')

  const [event] = messages(await reading)
  expect(event?.data).toMatchObject({
    type: 'customer_message',
    wamid,
    phone_number_id: shop.phone_number_id,
    customer: { wa_id: '15550100101' },
    at: expect.any(String),
  })
})

test('goes on after the last event that was seen', async () => {
  const start = await cursor()
  write('One')
  const first = await readFeed({ 'last-event-id': start }, (seen) => messages(seen).length === 1)
  write('Two')
  write('Three')

  const last = messages(first).at(-1)?.id ?? ''
  const rest = await readFeed({ 'last-event-id': last }, (seen) => messages(seen).length === 2)

  expect(wordsOf(rest)).toEqual(['Two', 'Three'])
})

test.each(['0-5', 'nonsense', ''])('says that something was missed after %j', async (id) => {
  const seen = await readFeed({ 'last-event-id': `${id}-` }, ([event]) => event !== undefined)

  expect(seen[0]?.event).toBe('missed')
  expect(seen[0]?.id).toBe(await cursor())
})

test('keeps a bounded number of events, and says when more were missed', () => {
  const feed = createFeed(systemClock)
  const stream = createEventStream(feed, systemClock, 3)
  const start = stream.cursor()
  for (let index = 0; index < 3; index++) feed.emit({ type: 'presence', customer: `${index}` })
  const within = readWritten(stream, start)
  feed.emit({ type: 'presence', customer: '3' })

  expect(within.match(/event: presence/g)).toHaveLength(3)
  expect(readWritten(stream, start)).toContain('event: missed')
  expect(readWritten(stream, start)).not.toContain('event: presence')
  stream.close()
})

test('a listener that throws stops neither the others nor what happened', () => {
  const feed = createFeed(systemClock)
  const heard: string[] = []
  feed.subscribe(() => {
    throw new Error('a mistake')
  })
  const end = feed.subscribe(({ type }) => void heard.push(type))
  feed.emit({ type: 'reset' })
  end()
  feed.emit({ type: 'reset' })

  expect(heard).toEqual(['reset'])
})

/** What a reader that resumes after `id` is told at once. */
function readWritten(stream: ReturnType<typeof createEventStream>, id: string): string {
  let text = ''
  const response = {
    writableLength: 0,
    writeHead() {},
    write(chunk: string) {
      text += chunk
    },
    on() {},
    end() {},
  }
  stream.open(response as never, id)
  return text
}
