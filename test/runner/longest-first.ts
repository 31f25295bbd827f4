// Orders the test files by the durations of an earlier run, the longest first, so that none of them ends the run alone. With SEED
// the order is by chance, decided by that seed.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { seeded, shuffled } from '../support/seeded.ts'
import { isSeedGiven, seed } from './seed.ts'

/** Written by `npm run record:durations`. */
export const durationsFile = new URL('durations.json', import.meta.url)

/** Seconds by file. */
export const durations: Record<string, number> = JSON.parse(readFileSync(durationsFile, 'utf8'))
/** A file without a record begins early, as it may be long. */
const unknownSeconds = 5

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const seconds = ({ moduleId }: TestSpecification) =>
      durations[relative(root, moduleId).replaceAll('\\', '/')] ?? unknownSeconds
    const byName = files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1))
    if (isSeedGiven) return shuffled(byName, seeded(seed))
    return byName.toSorted((one, other) => seconds(other) - seconds(one))
  }
}
