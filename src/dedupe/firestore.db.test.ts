import { beforeAll, describe } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestClock, type TestClock } from '../../test/support/clock.ts'
import { type OwnFirestore, startFirestore } from '../../test/support/firestore.ts'
import { openFilter, outsideConformance } from './dedupe.conformance.ts'
import { openFirestoreMarks } from './firestore.ts'
import { marksConformance, times } from './marks.conformance.ts'
import type { Marks } from './marks.ts'

let firestore: OwnFirestore
let clock: TestClock
let marks: Marks

beforeAll(async () => {
  firestore = await startFirestore()
  clock = createTestClock()
  marks = openMarks()
  afterFile(() => marks.close())
})

describe('marks in Firestore', () => {
  marksConformance(() => ({
    marks,
    letTimePass: async (ms) => clock.advance(ms),
    forgetAll: firestore.flush,
  }))
  describe('with Postgres behind it', () => {
    outsideConformance(() => ({
      open: () => {
        const dedupe = openFilter('firestore', async () => openMarks())
        afterFile(dedupe.close)
        return dedupe
      },
      letTimePass: async (ms) => clock.advance(ms),
      forgetAll: firestore.flush,
      server: firestore,
    }))
  })
})

function openMarks(): Marks {
  const { project, host: emulatorHost } = firestore
  return openFirestoreMarks({ ...times, project, emulatorHost, clock, patienceMs: 20_000 })
}
