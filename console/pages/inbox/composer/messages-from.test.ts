// What is in the field becomes messages: text, files with a caption, several in order.
import { expect, test } from 'vitest'
import type { FileKind } from './limits.ts'
import { messagesFrom } from './messages-from.ts'

const file = (kind: FileKind, name = `a.${kind}`) => ({ kind, file: new File(['x'], name) })
const drafts = (text: string, files: ReturnType<typeof file>[] = [], answers?: string) =>
  messagesFrom({ text, files, answers }).map(({ draft }) => draft)

test('a text', () => {
  expect(drafts('  Good morning\n')).toEqual([{ type: 'text', text: { body: 'Good morning' } }])
  expect(drafts('See https://firm.example')).toEqual([
    { type: 'text', text: { body: 'See https://firm.example', preview_url: true } },
  ])
  expect(drafts('  \n ')).toEqual([])
})

test('a file with its caption, and where its id belongs', () => {
  const [only] = messagesFrom({
    text: 'The deed',
    files: [file('document', 'deed.pdf')],
    answers: 'wamid.x',
  })
  expect(only?.draft).toEqual({
    type: 'document',
    document: { filename: 'deed.pdf', caption: 'The deed' },
    context: { message_id: 'wamid.x' },
  })
  expect(only?.files.map(({ at }) => at)).toEqual([['document', 'id']])
})

test('several files are several messages in order; the caption and the quote go with the first', () => {
  expect(drafts('Both', [file('image'), file('video')], 'wamid.x')).toEqual([
    { type: 'image', image: { caption: 'Both' }, context: { message_id: 'wamid.x' } },
    { type: 'video', video: {} },
  ])
})

test('what cannot stand under a file goes before it', () => {
  const long = 'x'.repeat(1025)
  expect(drafts(long, [file('image')])).toEqual([
    { type: 'text', text: { body: long } },
    { type: 'image', image: {} },
  ])
  expect(drafts('Listen', [file('audio')])).toEqual([
    { type: 'text', text: { body: 'Listen' } },
    { type: 'audio', audio: {} },
  ])
})
