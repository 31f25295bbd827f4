import type { Queue } from './queue.ts'

/** Runs a queue until nothing is due. Returns how many rows were taken. */
export async function drain(queue: Queue): Promise<number> {
  let total = 0
  for (;;) {
    const taken = await queue.runDue()
    total += taken
    if (taken > 0) continue
    // What ends may make the next due.
    await queue.idle?.()
    const more = await queue.runDue()
    if (more === 0) return total
    total += more
  }
}
