// How each crash point of the sources is reached. The standard load (load.ts) passes nearly all of them; what is said here is
// what it takes besides.

export interface Way {
  /** Which passes one may die at: the load makes at least so many. */
  passes?: number
  /** An earlier process dies here first. */
  after?: string
  /** It is reached when the process is told to stop. */
  isStopping?: boolean
  /** By `estafet migrate`, on an empty database. */
  isMigration?: boolean
}

export const ways: Record<string, Way> = {
  'inbox.received-before-insert': { passes: 4 },
  'inbox.stored-before-ring': { passes: 4 },
  'inbox.stored-before-answer': { passes: 8 },
  'inbox.claimed': { passes: 3 },
  'inbox.applied-before-commit': { passes: 3 },
  'inbox.applied-after-commit': { passes: 3 },
  'inbox.reported-before-proofs': { passes: 3 },
  'inbox.item-before-commit': { passes: 2 },
  'inbox.item-after-commit': { passes: 2 },
  'inbox.letters-before-commit': {},
  'inbox.letters-after-commit': {},
  'inbox.exhausted-before-commit': {},
  'outbox.queued-before-commit': { passes: 3 },
  'outbox.queued-before-ring': { passes: 3 },
  'outbox.queued-before-answer': { passes: 9 },
  'queue.claimed-before-work': { passes: 4 },
  'outbox.before-files': { passes: 9 },
  'outbox.before-post': { passes: 9 },
  'outbox.after-post': { passes: 9 },
  'outbox.weather-before-settle': { passes: 3 },
  'outbox.settled-before-commit': { passes: 3 },
  'outbox.settled-after-commit': { passes: 3 },
  'outbox.reported-before-follow-up': { passes: 9 },
  'outbox.taken-back': { after: 'outbox.after-post' },
  'outbox.proven-before-end': {},
  'outbox.failure-heard-before-commit': {},
  'dead-letters.decided-before-commit': { passes: 2 },
  'dead-letters.decided-after-commit': { passes: 2 },
  'events.routed-before-ring': { passes: 2 },
  'events.before-post': { passes: 9 },
  'events.after-post': { passes: 9 },
  'events.settled-before-commit': { passes: 2 },
  'events.settled-after-commit': { passes: 9 },
  'media.claimed-before-work': {},
  'media.written-before-rename': { passes: 2 },
  'media.stored-before-row': {},
  'media.row-after-commit': {},
  'media.uploaded-before-row': {},
  'media.removed-before-row': {},
  'signup.state-taken': {},
  'signup.prepared-before-store': {},
  'signup.stored-before-commit': {},
  'signup.stored-before-ring': {},
  'templates.recorded-before-call': {},
  'templates.called-before-mirror': {},
  'retention.between-batches': { passes: 5 },
  'alerts.judged-before-ring': {},
  'alerts.before-post': {},
  'alerts.after-post': {},
  'secrets.between-two': { passes: 2 },
  'lease.registered': { passes: 2 },
  'lease.renewed': { passes: 2 },
  'queue.drained-before-lease-given-back': { isStopping: true },
  'migrate.applied-before-commit': { isMigration: true, passes: 20 },
}
