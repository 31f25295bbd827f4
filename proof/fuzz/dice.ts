// The chance of one case: everything in it is decided by (seed, number), so that it can be had again by itself.
import { seeded } from '../../test/support/seeded.ts'

export interface Dice {
  /** Uniform in [0, 1). */
  roll(): number
  /** 0 … count - 1. */
  below(count: number): number
  isOneIn(count: number): boolean
  pick<T>(list: readonly T[]): T
}

export function diceOf(seed: number, number: number): Dice {
  // Neighbouring cases must not get neighbouring states.
  const roll = seeded(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35))
  const below = (count: number) => Math.floor(roll() * count)
  return {
    roll,
    below,
    isOneIn: (count) => below(count) === 0,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  }
}
