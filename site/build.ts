// `npm run build:site`: the documents as pages, into dist/site.
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { makeSite, writeSite } from './build-site.ts'

const site = makeSite()
await writeSite(site, join(packageRoot, 'dist', 'site'))
if (site.missing.length > 0) console.error(`not written yet: ${site.missing.join(', ')}`)
