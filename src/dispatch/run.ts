import type { Queue } from './queue.ts'

/** Runs a queue until nothing is due. Returns how many rows were taken. */
export async function drain(queue: Queue): Promise<number> {
  let total = 0
  for (;;) {
    const taken = await queue.runDue()
    if (taken === 0) return total
    total += taken
  }
}
