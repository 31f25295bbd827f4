// Installs the Node versions of test/node-versions from npm and returns their binaries, for the tests that start the program on
// each version. They are in dist: below `test` several tests would copy them, 370 MB, with the sources.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'

/** The supported versions that are installed from npm, whichever version runs the suite. */
export const otherMajors = [22, 24]

/** The reason in the title of a skipped test. */
export const nodeHint = (major: number) =>
  `no Node ${major} here; \`node --import tsx test/node-versions/install.ts\` enables it`

const run = promisify(execFile)
const project = join(packageRoot, 'test', 'node-versions')
const dist = join(packageRoot, 'dist')
const prefix = 'node-versions-'
const dayMs = 86_400_000
/** 105 MB arrive in that time at 1 MB/s. On a slower network the tests are skipped and install.ts, which has no limit, helps. */
const installLimitMs = 120_000

/** Returns a binary for each major version that runs on this machine; installs them first if necessary. */
export async function findNodes(): Promise<Map<number, string>> {
  const nodes = new Map<number, string>()
  const folder = await installNodes(installLimitMs).catch(() => undefined)
  if (folder === undefined) return nodes
  for (const major of otherMajors) {
    const binary = binaryIn(folder, major)
    // An installed binary need not run: those of npm need glibc, and Alpine has musl.
    const { stdout } = await run(binary, ['--version']).catch(() => ({ stdout: '' }))
    if (stdout.startsWith(`v${major}.`)) nodes.set(major, binary)
  }
  return nodes
}

/** Returns the folder of the binaries. It is named after the content of the lock, so that binaries of another lock are not used.
 *  Rejects when npm cannot install them. */
export async function installNodes(limitMs = 0): Promise<string> {
  const files = ['package.json', 'package-lock.json'].map((name) => join(project, name))
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(file))
  const folder = join(dist, prefix + hash.digest('hex').slice(0, 16))
  if (existsSync(folder)) return folder
  const [manifest = ''] = files
  const { optionalDependencies } = JSON.parse(await readFile(manifest, 'utf8'))
  const isOffered = (major: number) => packageOf(major) in optionalDependencies
  if (!otherMajors.every(isOffered)) throw new Error(`npm has no Node for ${platform}`)

  // Another test run may install at the same time: each installs into a folder of its own, and the first one is kept.
  const draft = `${folder}.${process.pid}`
  await mkdir(draft, { recursive: true })
  try {
    await removeOldNodes()
    for (const file of files) await cp(file, join(draft, file.slice(project.length + 1)))
    const { stderr } = await run('npm', ['ci', ...npmOptions], { cwd: draft, timeout: limitMs })
    // npm reports success when an optional package did not arrive.
    const missing = otherMajors.filter((major) => !existsSync(binaryIn(draft, major)))
    if (missing.length > 0)
      throw new Error(`npm installed no Node ${missing.join(', ')}:\n${stderr}`)
    await rename(draft, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return folder
}

const platform = `${process.platform}-${process.arch}`
const packageOf = (major: number) => `node-${major}-${platform}`
const binaryIn = (folder: string, major: number) =>
  join(folder, 'node_modules', packageOf(major), 'bin', 'node')

const npmOptions = [
  '--ignore-scripts',
  // Both packages have a command `node`.
  '--no-bin-links',
  '--include=optional',
  '--prefer-offline',
  // Without it npm does not say why an optional package did not arrive.
  '--loglevel=http',
  // A registry that refuses connections is found out in two seconds instead of a minute.
  ...['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=30000'],
]

/** Removes those of earlier locks, and what an interrupted installation left. */
async function removeOldNodes(): Promise<void> {
  for (const name of await readdir(dist)) {
    if (!name.startsWith(prefix)) continue
    const path = join(dist, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || found.mtimeMs >= Date.now() - dayMs) continue
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}
