// Byte fuzzing: everything in this process that reads what strangers wrote.
import { mutatedBytes, shorter } from './byte-mutations.ts'
import type { Dice } from './dice.ts'
import type { Kind } from './kind.ts'
import type { Reader } from './model.ts'
import { changed, type Path, pathsIn, toJson, wireChanges } from './mutations.ts'
import { readingMs } from './processor-time.ts'
import { readers } from './readers.ts'

export interface BytesCase {
  reader: string
  bytes: Buffer
}

const changeList = Object.values(wireChanges)

export function bytesKind(of: Reader[] = readers): Kind<BytesCase> {
  const trees = new Map<Buffer, Tree>()
  const treeOf = (sample: Buffer) => {
    const known = trees.get(sample)
    if (known) return known
    const value: unknown = JSON.parse(sample.toString())
    const tree = { value, paths: pathsIn(value) }
    trees.set(sample, tree)
    return tree
  }
  const counts = new Map<string, number>()
  const byName = new Map(of.map((reader) => [reader.name, reader]))
  return {
    name: 'bytes',
    chunkSize: 2_000,
    inFlight: 1,
    make(dice) {
      const reader = dice.pick(of)
      const sample = dice.pick(reader.samples)
      const bytes =
        reader.isJson && dice.isOneIn(2)
          ? changedJson(treeOf(sample), dice)
          : mutatedBytes(sample, dice.pick(reader.samples), dice)
      return { reader: reader.name, bytes }
    },
    run({ reader: name, bytes }) {
      counts.set(name, (counts.get(name) ?? 0) + 1)
      const reader = byName.get(name)
      if (!reader) throw new Error(`there is no reader called ${name}`)
      return prefixed(name, reader.read(bytes))
    },
    *smaller({ reader, bytes }) {
      for (const less of shorter(bytes)) yield { reader, bytes: less }
    },
    leastMs: ({ bytes }) => readingMs(bytes),
    counts: () => counts,
  }
}

function prefixed(name: string, told: ReturnType<Reader['read']>): ReturnType<Reader['read']> {
  if (told instanceof Promise) return told.then((problem) => problem && `${name}: ${problem}`)
  return told && `${name}: ${told}`
}

interface Tree {
  value: unknown
  paths: Path[]
}

function changedJson({ value: original, paths }: Tree, dice: Dice): Buffer {
  let value = original
  for (let count = 1 + dice.below(4); count > 0; count--) {
    value = changed(value, dice.pick(paths), dice.pick(changeList))
  }
  return Buffer.from(toJson(value))
}
