// `npm run docs:generate`: writes the documents that are printed from the code.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'
import { printedDocuments } from './generate/documents.ts'

for (const { path, text } of printedDocuments()) {
  const place = join(packageRoot, path)
  const before = await readFile(place, 'utf8').catch(() => undefined)
  if (before === text) continue
  await writeFile(place, text)
  console.log(`${path} ${before === undefined ? 'written' : 'changed'}`)
}
