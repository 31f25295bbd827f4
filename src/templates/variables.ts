// The gaps in a template's texts: {{1}}, {{2}} … or {{first_name}}.

/** Linear: what stands between the braces holds none, and spaces around a name are cut off afterwards. */
const gap = /\{\{([^{}]*)\}\}/g

/** The names in a text, each once, in the order of their first appearance. */
export function variablesIn(text: unknown): string[] {
  if (typeof text !== 'string') return []
  return [...new Set([...text.matchAll(gap)].map((match) => (match[1] ?? '').trim()))]
}

/** What has no value stays as it is written. */
export function fillIn(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(gap, (whole, name: string) => values.get(name.trim()) ?? whole)
}

export function beginsOrEndsWithGap(text: string): boolean {
  const trimmed = text.trim()
  const gaps = [...trimmed.matchAll(gap)]
  const last = gaps.at(-1)
  if (!last) return false
  return gaps[0]?.index === 0 || last.index + last[0].length === trimmed.length
}
