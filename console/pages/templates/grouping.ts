// One row for each name: its languages together, and of their states the one that asks for most.
import type { Template } from './data.ts'
import { groupBy } from './group-by.ts'

export interface Group {
  key: string
  name: string
  wabaId: string
  /** By language. */
  templates: Template[]
  /** The one whose state is shown. */
  worst: Template
}

export type Tone = 'ok' | 'warn' | 'bad' | 'plain'

const tones: Record<string, Tone> = {
  APPROVED: 'ok',
  REJECTED: 'bad',
  DISABLED: 'bad',
  PAUSED: 'warn',
  LIMIT_EXCEEDED: 'warn',
}
export const toneOf = (status: string): Tone => tones[status] ?? 'plain'

/** What a person has to look at comes first. */
const order: Tone[] = ['bad', 'warn', 'plain', 'ok']
const rank = ({ status }: Template) => order.indexOf(toneOf(status))

export const filters = ['all', 'approved', 'review', 'act'] as const
export type Filter = (typeof filters)[number]

const isIn: Record<Filter, (template: Template) => boolean> = {
  all: () => true,
  approved: ({ status }) => status === 'APPROVED',
  review: ({ status }) => ['PENDING', 'IN_APPEAL'].includes(status),
  act: ({ status }) => ['bad', 'warn'].includes(toneOf(status)),
}

export interface Wish {
  filter: Filter
  category: string
  sought: string
}

/** By name; a group is there when one of its languages is what is wished for. */
export function groupsOf(templates: Template[], wish: Wish): Group[] {
  const byName = groupBy(templates, ({ waba_id, name }) => `${waba_id} ${name}`)
  const groups = [...byName].flatMap(([key, own]) => {
    const sorted = own.toSorted((a, b) => a.language.localeCompare(b.language))
    const fitting = sorted.filter((one) => fits(one, wish))
    const [worst] = fitting.toSorted((a, b) => rank(a) - rank(b))
    if (!worst) return []
    return { key, name: worst.name, wabaId: worst.waba_id, templates: sorted, worst }
  })
  return groups.toSorted((a, b) => a.name.localeCompare(b.name) || a.key.localeCompare(b.key))
}

export const countIn = (templates: Template[], filter: Filter, wish: Wish) =>
  groupsOf(templates, { ...wish, filter }).length

function fits(template: Template, { filter, category, sought }: Wish): boolean {
  if (!isIn[filter](template)) return false
  if (category !== '' && template.category !== category) return false
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean)
  const text = `${template.name} ${JSON.stringify(textsOf(template))}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const textsOf = ({ components }: Template) => components?.map(({ text }) => text) ?? []

/** The beginning of what it says. */
export function firstWords({ components }: Template): string {
  const body = components?.find(({ type }) => String(type).toUpperCase() === 'BODY')
  return typeof body?.text === 'string' ? body.text : ''
}
