// What documents name in code: environment variables, error codes, metrics, commands, addresses. And which of it there is.
import type { Command } from 'commander'
import type { LabelValues } from '../../src/metrics-labels.ts'
import { shapeOf } from '../support/contract-check.ts'

/** Words in capitals with a `_` in them, and whatever is given a value as an environment variable is. */
export function capitalNames(code: string): string[] {
  const joined = code.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []
  const assigned = [...code.matchAll(/(?:^|\s)([A-Z][A-Z0-9_]{2,})=/g)].map(([, name = '']) => name)
  return [...new Set([...joined, ...assigned])]
}

/** The one word in capitals that a span of code is, or begins a path with. */
export const capitalWord = (span: string) => /^[A-Z][A-Z0-9]{2,}(?=$|\/)/.exec(span)?.[0]

/** `metric{label="value"}`, with what of it there is not. */
export function strangersInLabels(
  known: Record<string, Record<string, LabelValues>>,
  code: string,
): string[] {
  return [...code.matchAll(/\b(estafet_\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', inner = '']) =>
    inner.split(',').filter((pair) => {
      const [, label = '', value] = /^\s*(\w+)\s*(?:=~?\s*"([^"]*)")?\s*$/.exec(pair) ?? []
      const values = known[metric]?.[label]
      if (values === undefined || value === undefined) return values === undefined
      return 'includes' in values && !value.split('|').every((one) => values.includes(one))
    }),
  )
}

/** Names that a document itself brings up: shell variables, constants of its programs, settings of its files. */
export function ownNames(code: string): string[] {
  const forms = [
    /(?:^|[\s;&|(])(?:export\s+|read\s+(?:-\w+\s+)*)?([A-Z][A-Z0-9_]+)=?\$\(/g,
    /(?:^|[\s;&|(])(?:export|local|const|let|var|read -r|for)\s+([A-Z][A-Z0-9_]+)\b/g,
  ]
  return forms.flatMap((form) => [...code.matchAll(form)].map(([, name = '']) => name))
}

/** Every `estafet …` in it, as words. */
export function commandLines(code: string): string[][] {
  const lines = code.replace(/\\\n\s*/g, ' ').split('\n')
  // `docker run … estafet` is its image, and anything else that is called so is not the program.
  const form =
    /(?:^|[;&|(]|docker run.*?) *(?:[A-Z_]+=\S* +)*(?:npx estafet|npm run (?:-s |--silent )?estafet --|estafet) +([a-z-][^|;&#>)]*)/g
  return lines.flatMap((line) =>
    [...line.matchAll(form)].map(([, words = '']) => words.trim().split(/\s+/)),
  )
}

/** What in these words the program does not know. */
export function strangersInCommand(program: Command, words: string[]): string[] {
  let command = program
  const rest = [...words]
  for (let [next] = rest; command.commands.length > 0 && next; [next] = rest) {
    if (next.startsWith('-')) break
    const [first = '', ...others] = next.split('/')
    const found = command.commands.find((one) => one.name() === first)
    if (!found) return [next]
    const unknown = others.filter((name) => !command.commands.some((one) => one.name() === name))
    if (unknown.length > 0) return unknown
    command = found
    rest.shift()
  }
  const known = ['--help', '--version', ...command.options.map(({ long }) => long)]
  return rest
    .filter((word) => /^--[a-z]/.test(word))
    .map((word) => word.split('=')[0] ?? '')
    .filter((word) => !known.includes(word))
}

export interface NamedAddress {
  method: string | undefined
  path: string
}

/** Our own addresses: after a space, a quotation mark or a variable, or on a host that stands for the gateway. */
export function addresses(code: string): NamedAddress[] {
  const bare = code
    .replace(/https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[\w$]+)?(?=\/)/g, ' ')
    .replace(/\$\{?[A-Za-z_.]+\}?(?=\/)/g, ' ')
  const form =
    /(?:\b(GET|POST|PUT|PATCH|DELETE)\s+)?(?<![\w.*/~-])(\/(?:api|internal|connect)\/[\w\-/:{}$<>…*.]*|\/(?:healthz|readyz|metrics|openapi\.json|llms\.txt|webhooks\/whatsapp|docs|console)\b(?:\/[\w-]+)*)/g
  return [...bare.matchAll(form)].map(([, method, path = '']) => ({
    method,
    path: path.replace(/[.:]+$/, '').replace(/(.)\/$/, '$1'),
  }))
}

/** `routes`: `METHOD /path` with parameters as `:name` or `{name}`. */
export function isRoute(routes: readonly string[], { method, path }: NamedAddress): boolean {
  const wanted = routes
    .filter((route) => method === undefined || route.startsWith(`${method} `))
    .map((route) => (route.split(' ')[1] ?? '').replace(/\{(\w+)\}/g, ':$1'))
  // `/api/whatsapp` is how documents call all that begins so.
  if (/^\/\w+\/\w+$/.test(path) && wanted.some((route) => route.startsWith(`${path}/`))) return true
  const open = /^(.*?)\/?(?:\*+|…)$/.exec(path)?.[1]
  if (open !== undefined && wanted.some((route) => route.startsWith(open))) return true
  const filled = path.replace(/(?<=\/)(?::\w+|\{[^}]*\}|<[^>]*>|\$\{?\w+\}?|…)/g, 'x')
  return wanted.some((route) => shapeOf(route).test(filled))
}
