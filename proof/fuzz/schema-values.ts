// Values for a JSON schema of our own document: those it takes, those at its edges, and those it must refuse.
import type { JsonSchema } from '../../src/api/openapi-model.ts'
import type { Dice } from './dice.ts'

export const oddTexts = [
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e',
    '💥',
    'é',
    '%',
    '_',
    "'",
    '"',
    '\\',
    '\n',
    '\u2028',
    '../../',
    '<script>',
  ],
  ...[
    "'; drop table tenants; --",
    '#{7*7}',
    '{{1}}',
    'null',
    'undefined',
    'NaN',
    '[]',
    '{}',
    'true',
    '-1',
    '0',
  ],
  ...[
    '1e309',
    '0x10',
    '٣',
    '9007199254740993',
    '99999999999999999999',
    '2026-02-30T00:00:00Z',
    '__proto__',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '+275760-09-13T00:00:00.000Z',
    '-000001-01-01T00:00:00Z',
  ],
  ...[
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-4FFF-8FFF-FFFFFFFFFFFF',
    'x'.repeat(300),
    'é'.repeat(5_000),
  ],
  ...[
    '=cmd()',
    'a,b',
    'a;b',
    'constructor',
    'toString',
    'localhost',
    'http://169.254.169.254/',
    'file:///etc/passwd',
  ],
]
const oddNumbers = [
  0,
  -1,
  1,
  0.5,
  1e308,
  2 ** 31,
  2 ** 31 - 1,
  2 ** 53,
  -(2 ** 53),
  Number.MIN_VALUE,
]
const odd: unknown[] = [
  ...oddNumbers,
  null,
  true,
  false,
  [],
  {},
  [[]],
  { toString: 1 },
  ...oddTexts.slice(0, 12),
]

const formats: Record<string, string[]> = {
  uuid: ['019a0000-0000-7000-8000-0123456789ab', '00000000-0000-4000-8000-000000000001'],
  'date-time': ['2026-01-01T00:00:00Z', '2000-01-01T00:00:00.000Z', '2999-12-31T23:59:59Z'],
  email: ['somebody@firm.example', 'a@b.example'],
  uri: ['https://firm.example/hook', 'http://127.0.0.1:9/'],
}

/** One in so many values is not what the schema says. */
export interface Taste {
  oddOneIn: number
  /** Good values for fields whose form no schema tells, by name. */
  known(name: string, dice: Dice): unknown
}

export function valueFor(
  schema: JsonSchema,
  dice: Dice,
  taste: Taste,
  name = '',
  depth = 0,
): unknown {
  if (dice.isOneIn(taste.oddOneIn)) return dice.pick(odd)
  if (depth > 8) return null
  const known = taste.known(name, dice)
  if (known !== undefined && dice.isOneIn(2)) return known
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return dice.pick(schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choices)) return valueFor(dice.pick(choices), dice, taste, name, depth + 1)
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((part) => valueFor(part, dice, taste, name, depth + 1))
    return Object.assign({}, ...parts.filter((part) => typeof part === 'object'))
  }
  return plainValue(schema, dice, taste, name, depth)
}

function plainValue(schema: JsonSchema, dice: Dice, taste: Taste, name: string, depth: number) {
  const type = Array.isArray(schema.type) ? dice.pick(schema.type) : schema.type
  switch (type) {
    case 'string':
      return textFor(schema, dice)
    case 'integer':
    case 'number':
      return numberFor(schema, dice, type === 'integer')
    case 'boolean':
      return dice.isOneIn(2)
    case 'null':
      return null
    case 'array':
      return listFor(schema, dice, taste, name, depth)
    case 'object':
      return objectFor(schema, dice, taste, depth)
    default:
      return dice.pick(odd)
  }
}

function textFor(schema: JsonSchema, dice: Dice): string {
  const ofFormat = formats[String(schema.format)]
  if (ofFormat && !dice.isOneIn(6)) return dice.pick(ofFormat)
  const { minLength: min, maxLength: max } = schema as { minLength?: number; maxLength?: number }
  const lengths = [min, max, (min ?? 1) - 1, (max ?? 20) + 1, 8].filter((one) => one !== undefined)
  if (dice.isOneIn(2)) return dice.pick(oddTexts)
  return dice.pick(['x', '7', 'é', 'a ']).repeat(Math.min(70_000, Math.max(0, dice.pick(lengths))))
}

function numberFor(schema: JsonSchema, dice: Dice, isWhole: boolean): number {
  const { minimum = 0, maximum = 100 } = schema as { minimum?: number; maximum?: number }
  const edges = [minimum, maximum, minimum - 1, maximum + 1, minimum + 1]
  if (dice.isOneIn(2)) return dice.pick(edges)
  const between = minimum + dice.roll() * Math.min(maximum - minimum, 1e6)
  return isWhole ? Math.floor(between) : between
}

function listFor(schema: JsonSchema, dice: Dice, taste: Taste, name: string, depth: number) {
  const { minItems = 0, maxItems = 3 } = schema as { minItems?: number; maxItems?: number }
  const counts = [minItems, minItems + 1, Math.min(maxItems, 50), Math.min(maxItems + 1, 1_000)]
  const items = (schema.items ?? {}) as JsonSchema
  const length = depth > 3 ? Math.min(2, minItems + 1) : dice.pick(counts)
  return Array.from({ length }, () => valueFor(items, dice, taste, name, depth + 1))
}

function objectFor(schema: JsonSchema, dice: Dice, taste: Taste, depth: number) {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = (schema.required ?? []) as string[]
  const made: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(properties)) {
    const isThere = required.includes(key) ? !dice.isOneIn(30) : dice.isOneIn(3)
    if (isThere) made[key] = valueFor(inner, dice, taste, key, depth + 1)
  }
  if (dice.isOneIn(30))
    made[dice.pick(['anything_else', 'constructor', 'id', 'tenant_id'])] = dice.pick(odd)
  return made
}
