// Every document of the repository, read: for the tests of what documents say.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Document, readDocument } from '../../site/markdown.ts'
import { packageRoot } from '../../src/package-root.ts'

export interface ReadDocument extends Document {
  file: string
}

const folders = ['docs', 'examples', 'client', 'deploy', 'simulator', '.github']

export function allDocuments(): ReadDocument[] {
  const inFolders = folders
    .filter((folder) => existsSync(join(packageRoot, folder)))
    .flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
  const atRoot = readdirSync(packageRoot)
  return [...atRoot, ...inFolders]
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules/'))
    .map((file) => ({ file, ...readDocument(readFileSync(join(packageRoot, file), 'utf8')) }))
}
