// Chance that can be had again: the same seed, the same choices. Put the seed in the test's name.

/** Mulberry32: uniform in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const copy = [...list]
  for (let index = copy.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1))
    const kept = copy[index] as T
    copy[index] = copy[other] as T
    copy[other] = kept
  }
  return copy
}

/** Cuts a list into pieces of 1 to `max`. */
export function pieces<T>(list: readonly T[], max: number, random: () => number): T[][] {
  const cut: T[][] = []
  for (let start = 0; start < list.length; ) {
    const end = start + 1 + Math.floor(random() * max)
    cut.push(list.slice(start, end))
    start = end
  }
  return cut
}
