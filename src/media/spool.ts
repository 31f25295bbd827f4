// A stream of unknown length and honesty → bytes at rest, counted, hashed and limited on the way. They lie in a file that has
// no name any more: when the process dies, they are gone with it.
import { createHash } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Random } from '../time-and-chance.ts'
import { headBytes } from './kinds.ts'
import { writeAll } from './write-all.ts'

export interface Spooled {
  bytes: number
  sha256: Buffer
  head: Buffer
  /** The content from its beginning, as often as wanted. */
  read(): Readable
  discard(): Promise<void>
}

/** Throws to refuse; otherwise how many bytes there may be. Asked once, with the first bytes, or all if there are fewer. */
export type Judge = (head: Buffer) => number

export class TooLarge extends Error {
  readonly limit: number
  constructor(limit: number) {
    super('The file is too large.')
    this.name = 'TooLarge'
    this.limit = limit
  }
}

/** The stream is left as it is when this throws: whoever gave it decides whether the rest is read. */
export async function spool(content: Readable, judge: Judge, random: Random): Promise<Spooled> {
  const file = await openNameless(random)
  try {
    const hash = createHash('sha256')
    let head = Buffer.alloc(0)
    let limit: number | undefined
    let bytes = 0
    async function* judged(): AsyncGenerator<Buffer> {
      for await (const part of content.iterator({ destroyOnReturn: false })) {
        if (head.length < headBytes) {
          head = Buffer.concat([head, part.subarray(0, headBytes - head.length)])
        }
        if (limit === undefined && head.length === headBytes) limit = judge(head)
        bytes += part.length
        if (limit !== undefined && bytes > limit) throw new TooLarge(limit)
        hash.update(part)
        yield part
      }
    }
    await writeAll(file, judged())
    limit ??= judge(head)
    if (bytes > limit) throw new TooLarge(limit)
    return {
      bytes,
      sha256: hash.digest(),
      head,
      read: () => Readable.from(chunksOf(file, bytes), { objectMode: false }),
      discard: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openNameless(random: Random): Promise<FileHandle> {
  const path = join(tmpdir(), `estafet-${random.bytes(16).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** By position, so that two readers do not disturb each other. */
async function* chunksOf(file: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(64 * 1024, bytes - position))
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) throw new Error('bug: the spooled file is shorter than it was')
    position += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}
