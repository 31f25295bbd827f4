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
  /** A UUIDv7: opaque to callers; those of one process sort in the order they were made. */
  uuid(): string
  /** A UUIDv7 that sorts where `parent` does, and among its siblings by `index`: Meta's times are whole seconds, and what
   *  arrived first is to be read first. */
  uuidWithin(parent: string, index: number): string
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

/** How far the time in a UUID can be ahead of the clock. */
export const uuidsAheadMs = 60_000

export function systemRandom(clock: Clock): Random {
  // A call into OpenSSL costs 2.6 µs for 8 bytes and hardly more for 4 KiB (bench ingest); a webhook needs three ids.
  let pool = Buffer.alloc(0)
  let used = 0
  const eightBytes = () => {
    if (used + 8 > pool.length) {
      pool = randomBytes(4096)
      used = 0
    }
    used += 8
    return pool.subarray(used - 8, used)
  }
  let lastMs = 0
  let sequence = 0
  return {
    bytes: (length) => randomBytes(length),
    uuid() {
      const nowMs = clock.now().getTime()
      // A clock set back a little is ignored, for the order's sake; one set back further is believed.
      const isNewTime = nowMs > lastMs || nowMs < lastMs - uuidsAheadMs
      sequence = isNewTime ? 0 : sequence + 1
      lastMs = isNewTime ? nowMs : lastMs
      // 4096 in one millisecond: the next ones borrow from the future, rather than lose their order.
      if (sequence > 0xfff) {
        sequence = 0
        lastMs++
      }
      return uuidV7(lastMs, sequence, eightBytes())
    },
    uuidWithin(parent, index) {
      const hex = parent.replaceAll('-', '')
      const entropy = eightBytes()
      // 14 bits of index above 48 of chance; more siblings than that share the last place.
      const place = Math.min(index, 0x3fff)
      entropy.writeUInt16BE(place, 0)
      return uuidV7(
        Number.parseInt(hex.slice(0, 12), 16),
        Number.parseInt(hex.slice(13, 16), 16),
        entropy,
      )
    },
    fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  }
}

/** 48 bits of time, 12 of sequence, 62 of `tail`. */
export function uuidV7(unixMs: number, sequence: number, tail: Buffer): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(unixMs, 0, 6)
  bytes.writeUInt16BE(0x7000 | sequence, 6)
  tail.copy(bytes, 8, 0, 8)
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

/** Timers let the process end; while something is waited for in here it must not. */
export async function stayingAlive<T>(work: () => Promise<T>): Promise<T> {
  const { port1 } = new MessageChannel()
  port1.ref()
  try {
    return await work()
  } finally {
    port1.close()
  }
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
