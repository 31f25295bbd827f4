// The tests of a control need not the build file by file: without it each run is ready in half of the time.
import { edit } from '../safeguards/safeguard.ts'

const builds = 'test/support/shared-builds.ts'

export const quickSetUp = [
  edit(builds, '  await buildInto(draft)\n', ''),
  edit(
    builds,
    "bundleProgram(join(draft, 'src', 'cli.js'), draft)",
    "bundleProgram(join(packageRoot, 'src', 'cli.ts'), draft)",
  ),
  edit(builds, "join(folder, 'src', 'cli.js')", "join(packageRoot, 'src', 'cli.ts')"),
]
