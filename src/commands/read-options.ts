// Options of a command, read by the schema that the API has for them; what is wrong is told by the option's own name.
import type { z } from 'zod'
import { parsePart } from '../api/route.ts'
import { AppError } from '../errors.ts'

/** `names`: options that are not called like their field, and arguments. */
export function readOptions<Schema extends z.ZodType>(
  schema: Schema,
  value: Record<string, unknown>,
  names: Record<string, string> = {},
): z.output<Schema> {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  if (issue?.path[0] !== undefined) {
    const field = String(issue.path[0])
    const option = names[field] ?? `--${field.replaceAll('_', '-')}`
    const needed = neededBy(issue)
    const problem = needed === undefined ? `: ${issue.message}` : ` needs ${needed}.`
    throw new AppError('INVALID_REQUEST', 400, `${option}${problem}`, {
      details: { fields: [{ field, problem: problem.replace(/^:? /, '') }] },
    })
  }
  return parsePart(schema, value, 'options', 'INVALID_REQUEST') as z.output<Schema>
}

/** In words for people; undefined where the schema's own are meant for them. */
function neededBy(issue: z.core.$ZodIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return { number: 'a whole number', int: 'a whole number', string: 'a value' }[
        issue.expected as string
      ]
    case 'invalid_format':
      return issue.format === 'datetime' ? 'a time such as 2030-01-31T09:00:00Z' : undefined
    case 'invalid_value':
      return `one of ${issue.values.join(', ')}`
    case 'too_small':
      if (issue.origin === 'string') return issue.minimum === 1 ? 'a value' : undefined
      return issue.origin === 'number' ? `a number of at least ${issue.minimum}` : undefined
    case 'too_big':
      if (issue.origin === 'string') return `at most ${issue.maximum} characters`
      return issue.origin === 'number' ? `a number of at most ${issue.maximum}` : undefined
    default:
      return undefined
  }
}
