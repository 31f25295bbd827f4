// What a message said is what a new one of it says.
import { expect, test } from 'vitest'
import { describeContent, sendRequest } from '../../../../src/outbox/message.ts'
import {
  interactiveMessages,
  plainMessages,
  templates,
} from '../../../../test/support/messages-to-send.ts'
import { draftOf } from './send-again.ts'

const message = (type: string, content: Record<string, unknown>, more = {}) =>
  ({ type, content, media_id: null, reply_to_wamid: null, ...more }) as never

const samples = { ...plainMessages, ...interactiveMessages, ...templates }
const to = '16505550100'

test.each(Object.entries(samples))('%s', (_name, sample) => {
  const request = sendRequest.parse({ to, ...sample })
  const { type, content, replyTo } = describeContent(request)
  const again = draftOf(message(type, content, { reply_to_wamid: replyTo }))
  expect(describeContent(sendRequest.parse({ to, ...again }))).toEqual(describeContent(request))
})

test('a file goes by the gateway’s own id, without what a webhook says of it', () => {
  const image = { id: '123', mime_type: 'image/png', sha256: 'x', caption: 'Look' }
  const media_id = 'med_1'
  expect(draftOf(message('image', { image }, { media_id }))).toEqual({
    type: 'image',
    image: { id: 'med_1', caption: 'Look' },
  })
})

test('what has nothing in it cannot be sent again', () => {
  expect(draftOf(message('unsupported', {}))).toBeUndefined()
})
