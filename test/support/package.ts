// The package as `npm pack` makes it from this build, and as npm would lay it out in somebody's folder.
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'
import { createDirectory } from './program.ts'
import { resource } from './resources.ts'

const run = promisify(execFile)

export const readJson = (path: string) => JSON.parse(readFileSync(join(packageRoot, path), 'utf8'))

/** What lies about in the folder of somebody who works there, and is nobody else's business. */
export const privateFiles = [
  ...['.env', '.estafet/dev-secrets.json', '.ci/run', 'dist/tests-0/src/cli.js', 'docs/.env'],
  ...['test/support/gateway.ts', 'proof/nemesis.ts', 'src/cli.ts', 'console/main.tsx', 'npm.log'],
  ...['deploy/terraform/terraform.tfvars', 'bench/results/ingest.json', 'coverage/index.html'],
]

/** A copy of the project with the build of this test run in the place of whatever build was there before. */
async function layOutProject(): Promise<string> {
  const project = await createDirectory()
  const { files } = readJson('package.json') as { files: string[] }
  const named = files.filter((name) => !/^(!|dist\/)/.test(name))
  for (const name of ['package.json', 'LICENSE', 'README.md', ...named]) {
    if (existsSync(join(packageRoot, name)))
      await cp(join(packageRoot, name), join(project, name), { recursive: true })
  }
  await resource('console')
  // The site and the client are there from `npm ci`.
  for (const folder of ['console', 'site', 'client']) {
    const made = join(packageRoot, 'dist', folder)
    if (existsSync(made)) await cp(made, join(project, 'dist', folder), { recursive: true })
  }
  const { include } = readJson('tsconfig.build.json') as { include: string[] }
  const built = dirname(dirname((await resource('programs')).build))
  for (const folder of include)
    await cp(join(built, folder), join(project, 'dist', folder), { recursive: true })
  for (const file of privateFiles) {
    await mkdir(dirname(join(project, file)), { recursive: true })
    await writeFile(join(project, file), 'private\n')
  }
  return project
}

/** Packs it and unpacks it where npm would, with what it depends on and nothing else; returns the folder. */
export async function installPackage(): Promise<string> {
  const project = await layOutProject()
  const folder = await createDirectory()
  const options = ['--silent', '--no-update-notifier', '--pack-destination', folder]
  // The build is there, so no script has to make it.
  await run('npm', ['pack', '--ignore-scripts', ...options], { cwd: project })
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  const { name, version, bin, dependencies, optionalDependencies } = readJson('package.json')
  const tarball = join(folder, `${name}-${version}.tgz`)
  const unpacked = join(modules, name)
  await mkdir(unpacked)
  await run('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'])
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const from = join(packageRoot, 'node_modules', needed)
    if (!existsSync(from)) continue
    await mkdir(dirname(join(modules, needed)), { recursive: true })
    await symlink(from, join(modules, needed))
  }
  for (const [command, file] of Object.entries(bin as Record<string, string>)) {
    await chmod(join(unpacked, file), 0o755)
    await symlink(join('..', name, file), join(modules, '.bin', command))
  }
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n')
  return folder
}

/** Every file below, with `/` between folders. */
export async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
}

/** The packages whose code or data these sources take in; types are gone after the build. */
export function packagesImportedBy(folder: string): string[] {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|\.config\.ts$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const imported = sources.flatMap((text) => [
    ...text.matchAll(/^import (?!type )[^';]*?'([^'.][^']*)'|import\('([^'.][^']*)'\)/gm),
  ])
  const names = imported.map(([, one, other]) => nameOf(one ?? other ?? ''))
  return [...new Set(names)].sort()
}

export const nameOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
