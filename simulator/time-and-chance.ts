// The simulator's only sources of time and randomness, so that a test decides what both say.
import { createHash, randomBytes } from 'node:crypto'

export interface Clock {
  now(): Date
  /** Runs `task` after `ms`; the returned function cancels it. */
  after(ms: number, task: () => void): () => void
}

export interface Random {
  bytes(length: number): Buffer
}

/** Node takes a longer wait for none at all. */
const longestTimerMs = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => new Date(),
  after(ms, task) {
    const timer = setTimeout(task, Math.min(ms, longestTimerMs))
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/**
 * The default. A fixed seed would repeat its message ids in every run, and a gateway with a lasting
 * database would rightly take the second run for duplicates of the first.
 */
export const systemRandom: Random = { bytes: (length) => randomBytes(length) }

/** The same seed gives the same bytes in the same order, on every machine. */
export function seededRandom(seed: string): Random {
  let block = 0
  const nextBlock = () => createHash('sha256').update(`${seed}:${block++}`).digest()
  return {
    bytes(length) {
      const blocks = Array.from({ length: Math.ceil(length / 32) }, nextBlock)
      return Buffer.concat(blocks).subarray(0, length)
    },
  }
}

export function unixSeconds(clock: Clock): string {
  return String(Math.floor(clock.now().getTime() / 1000))
}

/** A fraction from 0 up to, but not including, 1. */
export function fractionOf(random: Random): number {
  return random.bytes(4).readUInt32BE() / 2 ** 32
}
