// What the page takes from the stream's bytes.
import { expect, test } from 'vitest'
import { eventsIn, type StreamEvent } from './stream-frames.ts'

async function toldBy(text: string): Promise<StreamEvent[]> {
  const told: StreamEvent[] = []
  const body = new Response(text).body ?? expect.unreachable()
  for await (const event of eventsIn(body, () => undefined)) told.push(event)
  return told
}

test('an event is told whatever separators are in its text', async () => {
  const data = { client_reference: 'first\u2028second\u2029third\u0085fourth' }
  // So that it is about the bytes as the gateway writes them.
  expect(JSON.stringify(data)).toContain('\u2028second\u2029')

  const told = await toldBy(
    `: hello\n\nid: evt_1\nevent: message.status\ndata: ${JSON.stringify(data)}\n\n`,
  )

  expect(told).toEqual([{ id: 'evt_1', type: 'message.status', data }])
})
