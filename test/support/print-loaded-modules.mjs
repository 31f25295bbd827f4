// Imported by a program under test: prints at its end which packages it has loaded.
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'

process.on('exit', () => {
  const files = Object.keys(createRequire(import.meta.url).cache)
  const packages = files.flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? [],
  )
  writeSync(2, `\nloaded: ${[...new Set(packages)].sort().join(' ')}\n`)
})
