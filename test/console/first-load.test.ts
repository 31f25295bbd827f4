// What a browser has to fetch before the inbox is there, as the build left it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { resource } from '../support/resources.ts'

interface Chunk {
  file: string
  imports?: string[]
}

const folder = join(packageRoot, 'dist', 'console')
await resource('console')

function filesFor(entries: string[]): string[] {
  const manifest: Record<string, Chunk> = JSON.parse(
    readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8'),
  )
  const found = new Set<string>()
  const collect = (name: string) => {
    const chunk = manifest[name]
    if (!chunk) throw new Error(`the build has no ${name}`)
    if (found.has(chunk.file)) return
    found.add(chunk.file)
    for (const imported of chunk.imports ?? []) collect(imported)
  }
  for (const entry of entries) collect(entry)
  return [...found]
}

test('the inbox is there after less than 200 kB of script', () => {
  const scripts = filesFor(['index.html', 'pages/inbox/page.tsx'])
  const sizes = scripts.map((file) => readFileSync(join(folder, `${file}.gz`)).length)
  expect(sizes.length).toBeGreaterThan(1)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
})
