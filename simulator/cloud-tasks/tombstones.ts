// Names that cannot be used again yet.
import type { Clock } from '../time-and-chance.ts'

export class Tombstones {
  readonly #clock: Clock
  readonly #lifetimeMs: number
  readonly #until = new Map<string, number>()

  constructor(clock: Clock, lifetimeMs: number) {
    this.#clock = clock
    this.#lifetimeMs = lifetimeMs
  }

  bury(name: string): void {
    const now = this.#clock.now().getTime()
    // All live equally long, so the expired ones are at the start.
    for (const [old, end] of this.#until) {
      if (end > now) break
      this.#until.delete(old)
    }
    this.#until.delete(name)
    this.#until.set(name, now + this.#lifetimeMs)
  }

  has(name: string): boolean {
    return (this.#until.get(name) ?? 0) > this.#clock.now().getTime()
  }
}
