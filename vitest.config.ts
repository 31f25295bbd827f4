import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** They take longest. On a machine that remembers no earlier run one of them might otherwise be the last, alone. In turns
 *  such as drive a browser, which need more than a core, and such as wait for processes, disks and each other. */
const longest = [
  'test/console/a-conversation-is-held',
  'test/e2e/kill-nine-loses-no-send',
  'test/docs/samples',
  'proof/faults/faults',
  'test/console/an-account-is-reconnected',
  'test/bench',
  'proof/nemesis/nemesis',
  'test/console/a-failed-message-is-put-right',
  'test/e2e/every-engine-keeps-the-promises',
  'test/house',
  'test/console/people-come-and-go',
  'test/e2e/bad-input-is-refused-by-name',
  'test/console/the-inbox-is-worked-through',
  'test/console/the-application-is-told',
  'test/console/operators-look-after-tenants',
  'test/docs/site',
  'test/e2e/starting',
  'test/console/templates-are-written-and-sent',
  'proof/model/model',
  'test/e2e/postgres-away',
  'test/console/the-overview-tells-trouble',
  'test/e2e/every-route-answers-as-declared',
  'test/console/a-thread-is-read-and-mended',
  'src/db/embedded.db.test',
  'test/simulator/phone-in-chromium',
  'test/e2e/dev',
  'test/e2e/kill-nine-loses-no-event',
  'test/e2e/a-person-signs-up-in-a-browser',
  'test/e2e/lost-tasks-and-a-flushed-store',
  'test/e2e/kill-nine-loses-no-acknowledged-webhook',
]

class LongestFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = longest.findIndex((name) => moduleId.includes(`/${name}`))
      return rank === -1 ? longest.length : rank
    }
    const sorted = await super.sort(specifications)
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other))
  }
}

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'simulator/**/*.test.ts',
      'test/**/*.test.ts',
      'proof/**/*.test.ts',
      'console/**/*.test.ts',
    ],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/end-file.ts'],
    // What was built is loaded as it is.
    server: { deps: { external: [/\/dist\/tests\//] } },
    sequence: { sequencer: LongestFirst },
    // Much of the time goes into waiting for processes and disks, also on two cores: with two of them the suite took 498 s and left
    // 171 of the cores' seconds idle, with a third 406 s and 33.
    maxWorkers: 3,
    // To load the program anew for each of 200 files costs a second of CPU time each. No module of it keeps state, and what
    // the tests' own helpers count begins anew with every file (after-file.ts).
    isolate: false,
    // Real servers and processes are started; on a busy two-core machine that takes its time.
    testTimeout: 480_000,
    hookTimeout: 480_000,
    teardownTimeout: 120_000,
  },
})
