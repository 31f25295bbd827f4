// What a test file leaves behind: cleaned up after it, by end-file.ts. Test files share their processes, so nothing of one may
// reach the next.

const tasks: (() => Promise<unknown>)[] = []
const counters: { count: number }[] = []

/** Runs after the test file, last in, first out. */
export function afterFile(task: () => Promise<unknown>): void {
  tasks.push(task)
}

/** 1, 2, 3 … anew in every test file, so that its names do not depend on the files before it. */
export function createCounter(): () => number {
  const counter = { count: 0 }
  counters.push(counter)
  return () => ++counter.count
}

/** Does everything, whatever goes wrong, and then tells of what went wrong first. */
export async function endFile(): Promise<void> {
  const errors: unknown[] = []
  for (const task of tasks.splice(0).reverse()) {
    try {
      await task()
    } catch (error) {
      errors.push(error)
    }
  }
  for (const counter of counters) counter.count = 0
  if (errors.length > 0) throw errors[0]
}
