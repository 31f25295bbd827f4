// What the checks count by.
export function repeated(names: string[]): string[] {
  return [...groups(names, (name) => name)].flatMap(([name, list]) => (list.length > 1 ? name : []))
}

export function groups<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const all = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = all.get(key)
    if (known) known.push(item)
    else all.set(key, [item])
  }
  return all
}
