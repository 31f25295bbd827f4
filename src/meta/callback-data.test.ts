import { describe, expect, test } from 'vitest'
import { packCallback, unpackCallback } from './callback-data.ts'

const attemptId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff'

describe('what Meta gives back in every status', () => {
  test.each([
    null,
    '',
    'order 7',
    'a|b|c',
    '|',
    'est:6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
    'line\nbreak',
    '{"json":"ünïcode 🙂"}',
  ])('names the attempt, and carries %j unchanged', (own) => {
    expect(unpackCallback(packCallback(attemptId, own))).toEqual({ attemptId, own })
  })

  test.each([
    undefined,
    null,
    7,
    {},
    '',
    'order 7',
    'est:',
    'est:not-a-uuid',
    `est:${attemptId.toUpperCase()}`,
    `est:${attemptId}x`,
    ` est:${attemptId}`,
    attemptId,
  ])('%j is somebody else’s', (data) => {
    expect(unpackCallback(data)).toBeUndefined()
  })
})
