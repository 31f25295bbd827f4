// A folder of one's own, removed after the test file.
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterFile } from './after-file.ts'

export function createTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'estafet-test-'))
  afterFile(() => rm(folder, { recursive: true, force: true }))
  return folder
}
