// What a task is called and which queue it goes to: both follow from the row alone, so that every process, at any time, says
// the same.
import { createHash } from 'node:crypto'
import type { Ring } from './queue.ts'

/** Names stay taken for hours after they ran, so each ring has its own. */
export function taskNameOf({ queue, id, number, correlationId }: Ring): string {
  // First something that does not count up: Cloud Tasks grows slow on names that do.
  const spread = digest(`${correlationId} ${id} ${number}`).toString('hex', 0, 4)
  return `${spread}-${queue}-${id}-${number}`
}

/** One owner's tasks always go to the same queue; a queue more or less moves few owners (highest random weight). */
export function queueFor(queues: readonly string[], owner: string): string {
  let [best, weight] = ['', -1]
  for (const queue of queues) {
    const here = digest(`${queue} ${owner}`).readUIntBE(0, 6)
    if (here > weight) [best, weight] = [queue, here]
  }
  if (weight < 0) throw new Error('bug: readConfig requires a queue')
  return best
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
