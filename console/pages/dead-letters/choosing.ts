// Which rows are chosen: some by hand, or all that the filter matches.
import { useState } from 'react'
import type { Letter } from './letters.ts'

export interface Choosing {
  ids: ReadonlySet<string>
  isAll: boolean
  has(id: string): boolean
  toggle(id: string): void
  /** Up to here, from the one that was chosen last. */
  reachTo(id: string): void
  chooseShown(isOn: boolean): void
  chooseAll(): void
  clear(): void
}

/** `key`: another filter has other rows. Decided ones cannot be chosen. */
export function useChoosing(letters: Letter[], key: string): Choosing {
  const [chosen, setChosen] = useState({ key, ids: new Set<string>(), isAll: false, last: '' })
  const now = chosen.key === key ? chosen : { key, ids: new Set<string>(), isAll: false, last: '' }
  const open = letters.filter(({ state }) => state === 'open').map(({ id }) => id)
  const set = (ids: Iterable<string>, last = '') =>
    setChosen({ key, ids: new Set(ids), isAll: false, last })
  return {
    ids: now.ids,
    isAll: now.isAll,
    has: (id) => now.isAll || now.ids.has(id),
    toggle: (id) => {
      if (!open.includes(id)) return
      const before = now.isAll ? open : [...now.ids]
      const isOn = before.includes(id)
      set(isOn ? before.filter((one) => one !== id) : [...before, id], isOn ? '' : id)
    },
    reachTo: (id) => {
      const [from, to] = [open.indexOf(now.last), open.indexOf(id)]
      if (to < 0) return
      const start = from < 0 ? to : from
      const between = open.slice(Math.min(start, to), Math.max(start, to) + 1)
      set([...now.ids, ...between], id)
    },
    chooseShown: (isOn) => set(isOn ? open : []),
    chooseAll: () => setChosen({ key, ids: new Set(open), isAll: true, last: '' }),
    clear: () => set([]),
  }
}
