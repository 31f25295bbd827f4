// The loop behind the mirror: asks now and then whose turn it is, in every worker; the turn itself is fenced.
import { errorFields } from '../log.ts'
import { sleep } from '../time-and-chance.ts'
import { createTemplateSync, type SyncOptions } from './sync.ts'

/** What asks for a sync is content to wait this long. */
const everyMs = 15_000

export function keepTemplatesSynced(options: SyncOptions): { stop(): Promise<void> } {
  const { clock, log } = options
  const stopping = new AbortController()
  const sync = createTemplateSync({ ...options, signal: stopping.signal })
  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const hasMore = await sync.runDue().catch((error) => {
        log.warn('template_sync_broken', errorFields(error))
        return false
      })
      if (!hasMore) await sleep(clock, everyMs, stopping.signal)
    }
  }
  const running = loop()
  return {
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
