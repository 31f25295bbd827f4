// Under which licences everything stands that is installed with this package, bundled into its console, or used to make it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { packagesImportedBy, readJson } from '../support/package.ts'
import { resource } from '../support/resources.ts'

/** They ask for no more than their own text to be handed on, which npm does with each package. */
const permissive = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
]
/** Of tools, whose code is in nothing that we hand out. */
const forTools = [
  ...permissive,
  'MPL-2.0',
  'Unlicense',
  'CC0-1.0',
  'Python-2.0',
  'PSF-2.0',
  'OFL-1.1',
]
/** In the console's bundle, with their texts beside it: code, and a font. */
const forTheConsole = ['MIT', 'OFL-1.1']

/** No licence is written in the lock of builds for other platforms; they are their parent's. */
const parents: [RegExp, parent: string][] = [
  [/^@biomejs\/cli-/, '@biomejs/biome'],
  [/^@rolldown\/binding-/, 'rolldown'],
  [/^@swc\/core-/, '@swc/core'],
]

/** Parts of koa, in the S3 server of the tests. Their readme says MIT, their package.json says nothing. */
const saidElsewhere: Record<string, string> = { 'humanize-number': 'MIT', only: 'MIT' }

interface Locked {
  name: string
  license: string
  isTool: boolean
}

interface LockEntry {
  license?: string
  dev?: boolean
  devOptional?: boolean
}

function lockedPackages(): Locked[] {
  const entries = Object.entries(
    readJson('package-lock.json').packages as Record<string, LockEntry>,
  )
  return entries
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      license: entry.license ?? installedLicence(path),
      isTool: entry.dev === true || entry.devOptional === true,
    }))
}

function installedLicence(path: string): string {
  const name = path.slice('node_modules/'.length)
  const parent = parents.find(([pattern]) => pattern.test(name))?.[1]
  const folder = parent === undefined ? path : `node_modules/${parent}`
  if (!existsSync(join(packageRoot, folder, 'package.json'))) return 'none'
  const { license, licenses } = readJson(`${folder}/package.json`)
  // The old form, a list of things with a type.
  const listed = licenses?.map(({ type }: { type: string }) => type).join(' OR ')
  return license ?? listed ?? saidElsewhere[name] ?? 'none'
}

/** "A OR B" leaves the choice to us, "A AND B" does not. */
function isAllowed(expression: string, allowed: string[]): boolean {
  const plain = expression.replace(/[()]/g, '')
  return plain
    .split(' OR ')
    .some((part) => part.split(' AND ').every((licence) => allowed.includes(licence.trim())))
}

const offenders = (packages: Locked[], allowed: string[]) =>
  packages
    .filter(({ license }) => !isAllowed(license, allowed))
    .map(({ name, license }) => `${name}: ${license}`)

describe('licences', () => {
  test('of what is installed in production are permissive', () => {
    const inProduction = lockedPackages().filter(({ isTool }) => !isTool)
    expect(inProduction.length).toBeGreaterThan(100)
    expect(offenders(inProduction, permissive)).toEqual([])
  })

  test('of the tools are known', () => {
    const tools = lockedPackages().filter(({ isTool }) => isTool)
    expect(tools.length).toBeGreaterThan(100)
    expect(offenders(tools, forTools)).toEqual([])
  })

  test('are read as they are meant', () => {
    expect(isAllowed('(MIT OR GPL-3.0-only)', permissive)).toBe(true)
    expect(isAllowed('MIT AND GPL-3.0-only', permissive)).toBe(false)
    expect(isAllowed('none', permissive)).toBe(false)
  })

  test('of everything in the console’s bundle are handed on with it', async () => {
    await resource('console')
    const [, ...sections] = readFileSync(
      join(packageRoot, 'dist/console/licenses.txt'),
      'utf8',
    ).split(/^## /m)
    const handedOn = sections.map((section) => {
      const [, name = '', licence = ''] = /^(\S+) - \S+ \((.+)\)$/m.exec(section) ?? []
      return { name, licence, isWhole: /copyright/i.test(section) && section.length > 500 }
    })
    expect(handedOn.filter(({ isWhole }) => !isWhole)).toEqual([])
    expect(handedOn.filter(({ licence }) => !isAllowed(licence, forTheConsole))).toEqual([])
    const imported = packagesImportedBy(join(packageRoot, 'console'))
    expect(imported).toContain('react')
    expect(handedOn.map(({ name }) => name)).toEqual(expect.arrayContaining(imported))
  })
})
