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
    // What was built is loaded as it is.
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
          include: ['{src,test,proof}/**/*.test.ts'],
          exclude: ['src/**/!(*.db).test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
          // More than cores: much of the time goes into waiting for processes and disks.
          maxWorkers: 4,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
}))
