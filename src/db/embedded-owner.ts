// One process of ours per data directory. The kernel's file locks are out of Node's reach, so the lock is a file
// that names its holder, and a holder that no longer runs holds nothing.
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../time-and-chance.ts'
import { processIdentity } from './embedded-process.ts'

interface Owner {
  pid: number
  identity: string
}

/** Resolves to the function that gives the directory back; rejects while another live process has it. */
export async function takeOwnership(dataDir: string, random: Random): Promise<() => Promise<void>> {
  const file = join(dataDir, 'postgres-owner.json')
  const holder = await lock(file, random)
  if (holder) {
    const who = holder.pid === process.pid ? 'this process' : 'another process'
    throw new Error(
      `The embedded Postgres in ${dataDir} is already in use by ${who} (pid ${holder.pid}). ` +
        'Stop it first, or choose another DATA_DIR.',
    )
  }
  return () => rm(file, { force: true })
}

/** Returns the live process that has the lock, or `undefined` when it is now ours. */
async function lock(file: string, random: Random): Promise<Owner | undefined> {
  // Written aside and then linked: the lock never exists without its holder's name in it.
  const draft = `${file}.${random.uuid()}`
  const mine: Owner = { pid: process.pid, identity: processIdentity(process.pid) ?? '' }
  await writeFile(draft, JSON.stringify(mine))
  try {
    for (;;) {
      if (await linked(draft, file)) return undefined
      const text = await textOf(file)
      if (text === undefined) continue
      const holder = liveOwner(text)
      if (holder) return holder
      // Replacing a dead holder's file takes a second lock of the same kind, and a second look under it.
      // Without it, of two successors the slower would throw out the faster.
      const rival = await lock(`${file}.next`, random)
      if (rival) return rival
      try {
        if ((await textOf(file)) === text) {
          await rename(draft, file)
          return undefined
        }
      } finally {
        await rm(`${file}.next`, { force: true })
      }
    }
  } finally {
    await rm(draft, { force: true })
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function liveOwner(text: string): Owner | undefined {
  let owner: Owner
  try {
    owner = JSON.parse(text)
  } catch {
    return undefined // Torn by a power cut: whoever wrote it is not running any more.
  }
  const identity = processIdentity(owner.pid)
  if (identity === undefined) return undefined
  return identity === owner.identity || identity === '' || owner.identity === '' ? owner : undefined
}
