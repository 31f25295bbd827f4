// The only file that reads the machine's clock, timers and entropy. Everything else is handed these two objects,
// so that tests and simulations decide what time it is and what the dice say (lint/no-ambient-time.grit).
import { randomBytes } from 'node:crypto'

export interface Clock {
  now(): Date
  /** Milliseconds on a clock that never jumps; only differences mean anything. */
  monotonicMs(): number
  /** Runs `task` after `ms`; the returned function cancels it. Never keeps the process alive by itself. */
  after(ms: number, task: () => void): () => void
  /** Runs `task` once the I/O callbacks of this turn of the event loop are done. */
  afterThisTurn(task: () => void): void
}

export interface Random {
  bytes(length: number): Buffer
  /** A UUIDv7: opaque to callers, ordered by time for the database's indexes. */
  uuid(): string
  /** Uniform in [0, 1). */
  fraction(): number
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
  afterThisTurn: (task) => void setImmediate(task),
}

export function systemRandom(clock: Clock): Random {
  return {
    bytes: (length) => randomBytes(length),
    uuid: () => uuidV7(clock.now().getTime(), randomBytes(10)),
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  }
}

export function uuidV7(unixMs: number, entropy: Buffer): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(unixMs, 0, 6)
  entropy.copy(bytes, 6, 0, 10)
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  const hex = bytes.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}

/** Resolves after `ms` or as soon as `signal` aborts, whichever is first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const cancel = clock.after(ms, done)
    function done() {
      signal?.removeEventListener('abort', done)
      cancel()
      resolve()
    }
    signal?.addEventListener('abort', done)
  })
}
