// Files in a folder: DATA_DIR/media. A file is written aside, flushed, and moved into place, so that its name never means half
// of it. For one machine; several need the same folder mounted, or S3.
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Random } from '../time-and-chance.ts'
import { type MediaStore, StoreUnavailable } from './store.ts'
import { writeAll } from './write-all.ts'

export interface DiskStoreOptions {
  folder: string
  random: Random
}

const keyShape = /^[0-9a-f-]{36}\/[0-9a-f-]{36}$/

export function createDiskStore({ folder, random }: DiskStoreOptions): MediaStore {
  const partsFolder = join(folder, 'parts')
  const pathOf = (key: string) => {
    if (!keyShape.test(key)) throw new Error('bug: not a key')
    return join(folder, key)
  }

  return {
    async put(key, content, { bytes }) {
      const path = pathOf(key)
      const part = join(partsFolder, random.uuid())
      try {
        await mkdir(partsFolder, { recursive: true, mode: 0o700 })
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        const file = await open(part, 'wx', 0o600)
        try {
          const size = await writeAll(file, content)
          if (size !== bytes) throw new Error('the file changed its size on the way')
          await file.sync()
        } finally {
          await file.close()
        }
        // crash point: media.written-before-rename
        await rename(part, path)
        await syncFolder(dirname(path))
      } catch (error) {
        content.destroy()
        await rm(part, { force: true }).catch(() => undefined)
        throw new StoreUnavailable('The file could not be written.', error)
      }
    },

    async get(key, range) {
      const stream = createReadStream(pathOf(key), range)
      return new Promise<Readable | undefined>((resolve, reject) => {
        stream.once('open', () => resolve(stream))
        stream.once('error', (error) => {
          if (isAbsent(error)) resolve(undefined)
          else reject(new StoreUnavailable('The file could not be read.', error))
        })
      })
    },

    async delete(key) {
      const path = pathOf(key)
      try {
        await rm(path, { force: true })
      } catch (error) {
        throw new StoreUnavailable('The file could not be removed.', error)
      }
    },

    async exists(key) {
      const path = pathOf(key)
      try {
        return (await stat(path)).isFile()
      } catch (error) {
        if (isAbsent(error)) return false
        throw new StoreUnavailable('The file could not be looked for.', error)
      }
    },

    async tidy(before) {
      const names = await readdir(partsFolder).catch((error) => {
        if (isAbsent(error)) return []
        throw error
      })
      for (const name of names) {
        const path = join(partsFolder, name)
        const { mtime } = await stat(path).catch(() => ({ mtime: before }))
        if (mtime < before) await rm(path, { force: true })
      }
    },
  }
}

/** So that the new name survives a power cut. Not every system can: then its own journal has to do. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')
}
