// `npm ci` builds when the compiler is installed; `npm ci --omit=dev` has none and must not fail.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'

try {
  createRequire(import.meta.url).resolve('typescript/package.json')
} catch {
  process.exit(0)
}
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
const build = spawnSync('npm', ['run', 'build', '--silent'], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(build.status ?? 1)
