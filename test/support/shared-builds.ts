// The program and the console as the tests start them. A build is used again by the next run when nothing it is made of changed.
import { createHash } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../../src/package-root.ts'
import { bundleProgram, runInstalled } from './bundle-program.ts'
import type { Resources } from './resources.ts'

const dist = join(packageRoot, 'dist')
const prefix = 'tests-'
const sources = ['src', 'client', 'simulator', 'bench']
const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json']
const builders = ['test/support/bundle-program.ts', 'test/support/start-bundle.cjs']
const dayMs = 86_400_000

/** Builds into a folder named after the content of the sources: two runs of different sources at once do not meet. */
export async function makePrograms(): Promise<Resources['programs']> {
  const folder = join(dist, prefix + (await hashOfSources()))
  const build = join(folder, 'src', 'cli.js')
  const program = join(folder, 'estafet.cjs')
  if (await stat(program).catch(() => undefined)) {
    const now = new Date()
    await utimes(folder, now, now).catch(() => undefined)
    return { program, build }
  }
  await removeOldBuilds()
  const draft = `${folder}.${process.pid}`
  await buildInto(draft)
  await bundleProgram(join(draft, 'src', 'cli.js'), draft)
  await rename(draft, folder).catch(async (error) => {
    // Another run was faster.
    if (!(await stat(program).catch(() => undefined))) throw error
    await rm(draft, { recursive: true })
  })
  return { program, build }
}

/** Takes what `npm ci` built, unless a source changed since. */
async function buildInto(folder: string): Promise<void> {
  if (await isBuilt()) {
    for (const name of sources) await cp(join(dist, name), join(folder, name), { recursive: true })
    return
  }
  // `npm test` checks the types before it starts any test.
  const project = ['--project', 'tsconfig.build.json', '--outDir', folder]
  await runInstalled('tsc', [...project, '--noCheck'])
}

async function isBuilt(): Promise<boolean> {
  const built = await stat(join(dist, 'src', 'cli.js')).catch(() => undefined)
  if (!built) return false
  const files = await Promise.all(sources.map(filesBelow))
  const changed = await Promise.all([...settings, ...files.flat()].map((file) => lastChange(file)))
  return changed.every((ms) => ms < built.mtimeMs)
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(join(packageRoot, folder), { recursive: true })
  return ['', ...names].map((name) => join(folder, name))
}

const lastChange = async (file: string) => (await lstat(join(packageRoot, file))).mtimeMs

async function hashOfSources(): Promise<string> {
  // V8's cache fits one version of Node, and only the account that built a folder may write into it.
  const hash = createHash('sha256').update(`${process.version} ${process.getuid?.()}`)
  for (const folder of sources) {
    const names = await readdir(join(packageRoot, folder), { recursive: true })
    for (const name of names.filter((one) => one.endsWith('.ts')).sort()) {
      hash.update(`${folder}/${name}\n`).update(await readFile(join(packageRoot, folder, name)))
    }
  }
  for (const file of [...settings, ...builders]) {
    hash.update(`${file}\n`).update(await readFile(join(packageRoot, file)).catch(() => ''))
  }
  return hash.digest('hex').slice(0, 16)
}

async function removeOldBuilds(): Promise<void> {
  await mkdir(dist, { recursive: true })
  const names = await readdir(dist)
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(dist, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || found.mtimeMs >= Date.now() - dayMs) continue
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** Builds dist/console, unless it is there from `npm ci` and its sources did not change since. */
export async function makeConsole(): Promise<Resources['console']> {
  const page = await stat(join(packageRoot, 'dist', 'console', 'index.html')).catch(() => undefined)
  const parts = ['package-lock.json', ...(await filesBelow('console'))]
  const changed = await Promise.all(parts.map(lastChange))
  if (!page || changed.some((ms) => ms >= page.mtimeMs)) {
    await runInstalled('vite', ['build', 'console', '--logLevel', 'warn'])
  }
  return {}
}
