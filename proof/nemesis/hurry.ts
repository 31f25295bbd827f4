// The product with its own waits cut short, so that a run of seconds sees what otherwise takes minutes: leases that run out,
// sends that are tried again, doubts that are resolved. Nothing else is changed.
import type { Edit } from '../tree.ts'

export const inAHurry: Edit[] = [
  { file: 'src/outbox/worker.ts', find: 'leaseSeconds = 15', replace: 'leaseSeconds = 6' },
  { file: 'src/events/worker.ts', find: 'leaseSeconds = 15', replace: 'leaseSeconds = 6' },
  { file: 'src/inbox/inbox.ts', find: 'leaseSeconds: 20', replace: 'leaseSeconds: 6' },
  {
    file: 'src/events/decide.ts',
    find: 'retryDelaysSeconds = [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000]',
    replace: 'retryDelaysSeconds = [1, 1, 2, 2, 3, 3, 4, 4]',
  },
  {
    file: 'src/events/decide.ts',
    find: 'ownTroubleSeconds = 10',
    replace: 'ownTroubleSeconds = 1',
  },
  {
    file: 'src/inbox/retry.ts',
    find: 'Math.min(300, 2 ** failures)',
    replace: 'Math.min(5, 2 ** failures)',
  },
  {
    file: 'src/outbox/retry-policy.ts',
    find: '5 * 2 ** endedAttempts',
    replace: '0.5 * 2 ** endedAttempts',
  },
]
