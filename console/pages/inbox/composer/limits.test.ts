// The page's copy of Meta's limits is the server's.
import { describe, expect, test } from 'vitest'
import {
  extensionsOf,
  limitOf,
  type MediaKind,
  mediaKinds,
  kindOf as serversKind,
  takenTypes,
} from '../../../../src/media/kinds.ts'
import { acceptedFiles, judge, kindOf, lengthOf, maxBytes, typeOf } from './limits.ts'

const movingWebp = Buffer.from('RIFF....WEBPVP8X....\x02', 'latin1')

test('types, kinds and extensions are those that the server takes', () => {
  for (const type of takenTypes) {
    expect(kindOf(type), type).toBe(serversKind(type))
    expect(acceptedFiles.split(',')).toContain(type)
    const [extension = ''] = extensionsOf(type)
    expect(typeOf({ name: `A.${extension.toUpperCase()}`, type: '' })).toBe(type)
  }
  expect(kindOf('image/gif')).toBeUndefined()
})

test('sizes are those that the server takes', () => {
  const servers = mediaKinds.map((kind) => [kind, limitOf(kind, movingWebp)])
  expect(maxBytes).toEqual(Object.fromEntries(servers) as Record<MediaKind, number>)
})

const file = (name: string, type: string, size = 10) =>
  new File([new Uint8Array(size)], name, { type })

describe('a file', () => {
  test('goes by the type that its name tells, where the browser knows another or none', () => {
    const judged = judge(file('numbers.csv', 'text/csv'))
    expect([judged.kind, judged.file.type, judged.problem]).toEqual([
      'document',
      'text/plain',
      undefined,
    ])
    expect(judge(file('voice.ogg', 'audio/ogg; codecs=opus')).file.type).toBe('audio/ogg')
  })

  test.each([
    ['moves.gif', 'image/gif', 10, { kind: 'type' }],
    ['noname', '', 10, { kind: 'type' }],
    ['nothing.pdf', 'application/pdf', 0, { kind: 'empty' }],
    [
      'large.png',
      'image/png',
      5 * 1024 * 1024 + 1,
      { kind: 'size', of: 'image', max: 5 * 1024 * 1024 },
    ],
  ])('%s is refused here', (name, type, size, problem) => {
    expect(judge(file(name, type, size)).problem).toEqual(problem)
  })

  test('of exactly the limit is taken', () => {
    expect(judge(file('large.png', 'image/png', 5 * 1024 * 1024)).problem).toBeUndefined()
  })
})

test('an emoji is one character', () => {
  expect(lengthOf('é👋')).toBe(2)
})
