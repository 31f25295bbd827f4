import { describe, expect, test } from 'vitest'
import { missingWaitMs } from './send.ts'

describe('before an ambiguous one is sent again', () => {
  test.each([
    ['nothing is ambiguous', null, null, 0],
    ['webhooks came in all the time', 31, 3600, 0],
    ['they do not come in now', 31, null, 30_000],
    ['they came in again just now', 3600, 0, 30_000],
    ['and for a part of the time', 3600, 12.5, 17_500],
    ['and for the whole of it', 3600, 30, 0],
  ])('%s', (_, unknownForSeconds, steadyForSeconds, missing) => {
    expect(missingWaitMs({ unknownForSeconds, steadyForSeconds }, 30)).toBe(missing)
  })
})
