// What can happen to bytes on their way: flips, cuts, insertions, repetitions, pieces of others.
import type { Dice } from './dice.ts'

/** What parsers stumble over. */
const troublesome = [
  ...[
    '\0',
    '\r\n',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '%',
    '%00',
    '../',
  ],
  ...[
    'null',
    '-1',
    '1e999',
    'true',
    '__proto__',
    '\ufeff',
    '\u202e',
    '💥',
    '<',
    '>',
    "'",
    '--',
    ' ',
  ],
].map((text) => Buffer.from(text))
const broken = [Buffer.from([0xff]), Buffer.from([0xc3]), Buffer.from([0xed, 0xa0, 0x80])]

type Mutation = (bytes: Buffer, dice: Dice, other: Buffer) => Buffer

const put = (bytes: Buffer, at: number, piece: Buffer, instead = 0) =>
  Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + instead)])

const mutations: Mutation[] = [
  (bytes, dice) => {
    if (bytes.length === 0) return bytes
    const copy = Buffer.from(bytes)
    const at = dice.below(bytes.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << dice.below(8))
    return copy
  },
  (bytes, dice) => {
    if (bytes.length === 0) return bytes
    const copy = Buffer.from(bytes)
    copy[dice.below(bytes.length)] = dice.below(256)
    return copy
  },
  (bytes, dice) => bytes.subarray(0, dice.below(bytes.length + 1)),
  (bytes, dice) => bytes.subarray(dice.below(bytes.length + 1)),
  (bytes, dice) => put(bytes, dice.below(bytes.length + 1), dice.pick(troublesome)),
  (bytes, dice) => put(bytes, dice.below(bytes.length + 1), dice.pick(troublesome), dice.below(8)),
  (bytes, dice) => put(bytes, dice.below(bytes.length + 1), dice.pick(broken)),
  (bytes, dice) => {
    const from = dice.below(bytes.length + 1)
    const piece = bytes.subarray(from, from + dice.below(64))
    return put(bytes, dice.below(bytes.length + 1), piece)
  },
  (bytes, dice) => put(bytes, dice.below(bytes.length + 1), Buffer.alloc(0), dice.below(64)),
  (bytes, dice, other) =>
    Buffer.concat([
      bytes.subarray(0, dice.below(bytes.length + 1)),
      other.subarray(dice.below(other.length + 1)),
    ]),
  (bytes, dice) => {
    const at = dice.below(bytes.length + 1)
    const piece = dice.pick(troublesome)
    return put(bytes, at, Buffer.concat(Array.from({ length: dice.below(2_000) }, () => piece)))
  },
]

/** One to four of them, one after the other; `other` is what pieces may come from. */
export function mutatedBytes(bytes: Buffer, other: Buffer, dice: Dice): Buffer {
  let mutated = bytes
  for (let count = 1 + dice.below(4); count > 0; count--) {
    mutated = dice.pick(mutations)(mutated, dice, other)
  }
  return mutated
}

/** Copies with a piece left out, the largest pieces first. */
export function* shorter(bytes: Buffer): Generator<Buffer> {
  for (let size = Math.ceil(bytes.length / 2); size > 0; size = Math.floor(size / 2)) {
    for (let at = 0; at < bytes.length; at += size) yield put(bytes, at, Buffer.alloc(0), size)
    if (size === 1) return
  }
}
