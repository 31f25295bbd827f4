// What a PromQL expression names: its metrics, and the labels it selects and groups them by. No more of the language than that.

export interface Named {
  metric: string
  labels: string[]
}

const token =
  /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_:][A-Za-z0-9_:]*|\d[\w.]*|\$[A-Za-z_]+|\S/g
const grouping = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])
const operators = new Set(['and', 'or', 'unless', 'bool', 'offset'])
const isName = (text: string | undefined) => text !== undefined && /^[A-Za-z_:]/.test(text)

export function namesIn(expression: string): { series: Named[]; groupedBy: string[] } {
  const tokens: string[] = expression.replace(/\[[^\]]*\]/g, '').match(token) ?? []
  const series: Named[] = []
  const groupedBy: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const word = tokens[at] ?? ''
    if (!isName(word) || operators.has(word)) continue
    if (grouping.has(word)) {
      if (tokens[at + 1] !== '(') continue
      const end = tokens.indexOf(')', at)
      groupedBy.push(...tokens.slice(at + 1, end).filter(isName))
      at = end
    } else if (tokens[at + 1] === '{') {
      const end = tokens.indexOf('}', at)
      const labels = tokens.slice(at + 2, end).filter(isName)
      series.push({ metric: word, labels })
      at = end
    } else if (tokens[at + 1] !== '(' && !grouping.has(tokens[at + 1] ?? '')) {
      series.push({ metric: word, labels: [] })
    }
  }
  return { series, groupedBy }
}
