import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'simulator/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Much of the time goes into waiting for processes and disks, also on two cores.
    maxWorkers: 2,
    // Real servers and processes are started; on a busy two-core machine that takes its time.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
