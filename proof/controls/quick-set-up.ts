// The tests of a control need neither the console nor the build: without them each run is ready in a third of the time.
import { edit } from '../safeguards/safeguard.ts'

const setUp = 'test/support/global-setup.ts'

export const quickSetUp = [
  edit(setUp, '    makeConsole(),\n', ''),
  edit(setUp, "  await runInstalled('tsc', [...project, '--noCheck'])\n", ''),
  edit(setUp, "join(outDir, 'src', 'cli.js')", "join(packageRoot, 'src', 'cli.ts')"),
]
