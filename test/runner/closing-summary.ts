// The last lines of a run: how to repeat a red file with its seed, what was skipped and what enables it, and the counts.
import { existsSync, writeFileSync } from 'node:fs'
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'
import { durations, durationsFile } from './longest-first.ts'
import { seed } from './seed.ts'

export class ClosingSummary implements Reporter {
  private vitest: Vitest | undefined
  private readonly isRecording: boolean

  constructor({ isRecording }: { isRecording: boolean }) {
    this.isRecording = isRecording
  }

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const log = (line: string) => this.vitest?.logger.log(line)
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const red = modules.filter((module) => !module.ok())
    for (const { relativeModuleId } of red) {
      log(`To repeat: SEED=${seed} npx vitest run ${relativeModuleId}`)
    }
    for (const [reason, times] of skippedByReason(tests)) log(`Skipped (${times}): ${reason}`)
    const failed = count('failed') + red.filter(hasFailedOutsideTests).length + errors.length
    log(`${count('passed')} passed, ${failed} failed, ${count('skipped')} skipped`)
    if (this.isRecording && failed === 0) record(modules)
  }
}

/** A file that could not be loaded, or whose hooks failed, has no failed test. */
const hasFailedOutsideTests = (module: TestModule) =>
  [...module.children.allTests('failed')].length === 0

/** A test that is skipped says in its title, or in that of a group around it, why, and which command enables it. */
function skippedByReason(tests: TestCase[]): Map<string, number> {
  const reasons = new Map<string, number>()
  for (const { fullName } of tests.filter((test) => test.result().state === 'skipped')) {
    const [, reason] = /\((?:skipped: )?([^()]+ enables (?:it|them))\)/.exec(fullName) ?? []
    // The others were not asked for (`-t`), or come after a hook that failed.
    if (reason === undefined) continue
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  return reasons
}

/** Seconds by file; of a file of less than a quarter of a second the order does not matter. Files that did not run keep theirs. */
function record(modules: readonly TestModule[]): void {
  const measured = modules.map((module) => {
    const { collectDuration, duration, setupDuration } = module.diagnostic()
    const seconds = (collectDuration + duration + setupDuration) / 1000
    return [module.relativeModuleId, Math.round(seconds * 2) / 2] as const
  })
  const rows = Object.entries({ ...durations, ...Object.fromEntries(measured) })
    .filter(([file, seconds]) => seconds > 0 && existsSync(file))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  writeFileSync(durationsFile, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
}
