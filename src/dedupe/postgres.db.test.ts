// The database away, as webhooks and workers see it: test/e2e/postgres-away.test.ts.
import { describe } from 'vitest'
import { dedupeConformance } from './dedupe.conformance.ts'
import { createPostgresDedupe } from './postgres.ts'

describe('with Postgres alone', () => {
  dedupeConformance(() => ({
    open: createPostgresDedupe,
    // Its marks are the rows themselves: whoever forgets those has forgotten the effect too.
    letTimePass: async () => undefined,
    forgetAll: async () => undefined,
  }))
})
