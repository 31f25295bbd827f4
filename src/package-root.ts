// Where this package's files are, whether it runs from src/ or from the build in dist/, and which version it is.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

/** How people call this program: installed as a package, or in a clone. */
export const howToCall = /[\\/]node_modules[\\/]/.test(packageRoot)
  ? 'npx estafet'
  : 'npm run estafet --'

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('bug: package.json not found above this file')
  return findRoot(parent)
}

export function readVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
}
