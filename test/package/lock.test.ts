// What is installed with this package, by the lock: where it runs, and what stays away from it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { minVersion, satisfies } from 'semver'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { readJson } from '../support/package.ts'

interface Locked {
  version: string
  dev?: boolean
  engines?: { node?: string }
  resolved?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

const manifest = readJson('package.json')
const { '': project, ...locked } = readJson('package-lock.json').packages as Record<string, Locked>
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)
const packages = Object.entries(locked).map(([path, entry]) => ({ name: nameOf(path), ...entry }))

/** Which of the project's own dependencies a package is there for. */
function broughtBy(name: string, seen = new Set<string>()): string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const needers = packages.filter((one) => needsOf(one).includes(name))
  const own = project && needsOf(project).includes(name) ? [name] : []
  return [...new Set([...own, ...needers.flatMap((one) => broughtBy(one.name, seen))])]
}

const needsOf = (one: Locked) =>
  Object.keys({
    ...{ ...one.dependencies, ...one.devDependencies },
    ...{ ...one.optionalDependencies, ...one.peerDependencies },
  })

describe('the lock', () => {
  test('has nothing for production that the oldest Node we promise is too old for', () => {
    const oldest = minVersion(manifest.engines.node)?.version ?? ''
    expect(oldest).toBe('20.19.0')
    const inProduction = packages.filter(({ dev }) => dev !== true)
    expect(inProduction.length).toBeGreaterThan(100)
    const tooNew = inProduction.filter(({ engines }) => !satisfies(oldest, engines?.node ?? '*'))
    expect(tooNew.map(({ name, engines }) => `${name}: ${engines?.node}`)).toEqual([])
  })

  test('is no better than what whoever installs the tarball gets: nothing is overridden', () => {
    expect(manifest.overrides).toBeUndefined()
  })

  test('names no registry', () => {
    expect(packages.filter(({ resolved }) => resolved !== undefined)).toEqual([])
  })

  test.each(['dicer', 'fast-xml-parser'])(
    'has %s, of which SECURITY.md speaks, for the tests’ S3 server alone',
    (name) => {
      const found = packages.filter((one) => one.name === name)
      expect(found.map(({ dev }) => dev)).toEqual([true])
      expect(broughtBy(name)).toEqual(['s3rver'])
      const told = readFileSync(join(packageRoot, 'SECURITY.md'), 'utf8')
      expect(told).toContain(`\`${name}\``)
      expect(told).toContain(`\`s3rver\` ${manifest.devDependencies.s3rver}`)
    },
  )
})
