// What keeps the mirror: asks now and then whose turn it is, in every worker; the turn itself is fenced.
import type { PeriodicJob } from '../again-and-again.ts'
import { createTemplateSync, type SyncOptions } from './sync.ts'

export function templateSyncJob(options: SyncOptions): PeriodicJob {
  return {
    name: 'templates',
    // What asks for a sync is content to wait this long.
    everyMs: 15_000,
    failed: 'template_sync_broken',
    run: (signal) => createTemplateSync({ ...options, signal }).runDue(),
  }
}
