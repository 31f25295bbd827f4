// A stream into an open file, which stays open.
import type { FileHandle } from 'node:fs/promises'

/** How many bytes there were. */
export async function writeAll(file: FileHandle, content: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0
  for await (const part of content) {
    for (let written = 0; written < part.length; ) {
      const { bytesWritten } = await file.write(part, written, part.length - written)
      written += bytesWritten
    }
    bytes += part.length
  }
  return bytes
}
