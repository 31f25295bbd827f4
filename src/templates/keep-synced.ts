// The loop behind the mirror: asks now and then whose turn it is, in every worker; the turn itself is fenced.
import { againAndAgain, type Loop } from '../again-and-again.ts'
import { createTemplateSync, type SyncOptions } from './sync.ts'

/** What asks for a sync is content to wait this long. */
const everyMs = 15_000

export function keepTemplatesSynced(options: SyncOptions): Loop {
  return againAndAgain({
    ...options,
    everyMs,
    failed: 'template_sync_broken',
    run: (signal) => createTemplateSync({ ...options, signal }).runDue(),
  })
}
