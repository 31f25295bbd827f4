import { defineConfig } from 'vitest/config'
import { ClosingSummary } from './test/runner/closing-summary.ts'
import { LongestFirst } from './test/runner/longest-first.ts'

export default defineConfig(({ mode }) => ({
  test: {
    reporters: ['default', new ClosingSummary({ isRecording: mode === 'record-durations' })],
    sequence: { sequencer: LongestFirst },
    setupFiles: ['test/support/chance.ts', 'test/support/end-file.ts'],
    // To load the program for each of 200 files costs a second of CPU time each. No module of it keeps state, and the
    // counters of the tests' own helpers begin again with every file (after-file.ts).
    isolate: false,
    teardownTimeout: 60_000,
    // The built program is loaded as it is.
    server: { deps: { external: [/\/dist\/tests-/] } },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{src,simulator,console}/**/*.test.ts'],
          exclude: ['**/*.db.test.ts'],
          maxWorkers: 2,
          testTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['{src,simulator,console}/**/*.db.test.ts', '{test,proof}/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          // One more than cores, for the time that tests wait for processes and disks. With a fourth the run took longer.
          maxWorkers: 3,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
}))
