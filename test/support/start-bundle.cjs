// Beside the bundle of the program (bundle-program.ts): runs it. The first `start` that comes to its end, or the first server of a
// bench, leaves behind what V8 has compiled until then, for all that come after it.
'use strict'
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

const filename = join(__dirname, 'bundle.js')
const cache = join(__dirname, 'bundle.cache')
const isCached = existsSync(cache)

const script = new Script(readFileSync(filename, 'utf8'), {
  filename,
  ...(isCached && { cachedData: readFileSync(cache) }),
})

if (!isCached && (process.argv[2] ?? 'start') === 'start') {
  process.once('exit', () => {
    const draft = `${cache}.${process.pid}`
    writeFileSync(draft, script.createCachedData())
    renameSync(draft, cache)
  })
}
script.runInThisContext()(createRequire(filename), pathToFileURL(filename).href)
