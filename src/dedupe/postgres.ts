// The port as Postgres keeps it. There is nothing to write here, because nothing is better than what the transactions do:
// a delivery's mark is the unique key of its event row, and an item's the one in whatsapp_webhook_dedupe, each committed in
// one statement with what it stands for, so there is no moment between mark and effect to die in. A send's `pending` is its
// claim (lease, fence and attempt, one commit), its `sent` or `failed` is how it is settled. A table of marks beside them
// would be a second truth, two more round trips a message, and weaker than the first. Retention ends them
// (DEDUPE_TTL_DAYS); the conformance suite holds claims and inserts to the same promises as the other stores.
import type { Dedupe } from './dedupe.ts'

export function createPostgresDedupe(): Dedupe {
  return {
    store: 'postgres',
    markIfNew: (items, _nameOf, commit) => commit(items),
    postOnce: async (_turn, post) => ({ state: 'posted', value: (await post()).value }),
    isThere: async () => true,
    // Whether the database answers is asked for anyway.
    problems: async () => [],
    idle: async () => undefined,
    close: async () => undefined,
  }
}
