// A list that lets go of its oldest entries when it is full, and counts them.

export interface Shelf<T> {
  /** Ids count every entry ever kept, so that letting go of old ones does not make ids come twice. */
  nextId(): string
  keep(entry: T): T
  filter(wanted: (entry: T) => boolean): T[]
  /** The latest first. */
  newest(count: number, wanted: (entry: T) => boolean): T[]
  forgotten(): number
}

export function createShelf<T>(prefix: string, capacity: number): Shelf<T> {
  const entries: T[] = []
  // Let go of in blocks: moving a long list for every new entry would cost more than the entry.
  const block = Math.max(1, Math.floor(capacity / 100))
  let kept = 0

  return {
    nextId: () => `${prefix}_${kept + 1}`,
    keep(entry) {
      kept++
      entries.push(entry)
      if (entries.length > capacity) entries.splice(0, block)
      return entry
    },
    filter: (wanted) => entries.filter(wanted),
    newest(count, wanted) {
      const found: T[] = []
      for (let index = entries.length - 1; index >= 0 && found.length < count; index--) {
        const entry = entries[index] as T
        if (wanted(entry)) found.push(entry)
      }
      return found
    },
    forgotten: () => kept - entries.length,
  }
}
