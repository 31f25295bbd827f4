import { expect, test } from 'vitest'
import { publicId } from '../ids.ts'
import { mediaReferences, withMetaIds } from './references.ts'

const uuid = '019a0000-0000-7000-8000-0123456789ab'
const own = publicId('med', uuid)

const template = {
  name: 'offer',
  components: [
    { type: 'header', parameters: [{ type: 'image', image: { id: own } }] },
    { type: 'body', parameters: [{ type: 'text', text: own }] },
  ],
}
const message = {
  to: '+16505550143',
  type: 'interactive',
  interactive: {
    type: 'button',
    header: { type: 'video', video: { link: 'https://files.example/a' } },
    action: { id: own },
  },
  context: { message_id: own },
  fallback_template: template,
}

test('files are found wherever a message can have one, and nowhere else', () => {
  expect(mediaReferences(message)).toEqual([
    {
      kind: 'video',
      path: 'interactive.header.video',
      id: undefined,
      uuid: undefined,
      link: 'https://files.example/a',
    },
    {
      kind: 'image',
      path: 'fallback_template.components.0.parameters.0.image',
      id: own,
      uuid,
      link: undefined,
    },
  ])
  expect(mediaReferences({ type: 'image', image: { id: '1234', caption: own } })).toEqual([
    { kind: 'image', path: 'image', id: '1234', uuid: undefined, link: undefined },
  ])
  expect(mediaReferences({ type: 'text', text: { body: own } })).toEqual([])
})

test('only what names a file is replaced', () => {
  const replaced = withMetaIds(message, new Map([[own, '4711']]))

  expect(replaced).toEqual({
    ...message,
    fallback_template: {
      ...template,
      components: [
        { type: 'header', parameters: [{ type: 'image', image: { id: '4711' } }] },
        template.components[1],
      ],
    },
  })
  expect(mediaReferences(message)[1]?.id).toBe(own)
})
