// Cleaning up what a helper started. Vitest ignores an `afterAll` that is registered while hooks or tests run already, so
// there is one here, registered when the test file imports its helpers.
import { afterAll } from 'vitest'

const tasks: (() => Promise<unknown>)[] = []

afterAll(async () => {
  for (const task of tasks.splice(0).reverse()) await task()
})

/** Runs after the test file, last in, first out. */
export function afterFile(task: () => Promise<unknown>): void {
  tasks.push(task)
}
