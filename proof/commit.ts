// What a run was a run of, for whoever quotes it.
import { execFileSync } from 'node:child_process'
import { packageRoot } from '../src/package-root.ts'

export function commitOf(): string {
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', packageRoot, ...args], { encoding: 'utf8' }).trim()
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') ? ' (changed)' : '')
  } catch {
    return 'unknown'
  }
}
