// JSON schemas of the contract. Those with a name (`meta({ id })`) stand once among the components and are referred to.
import { z } from 'zod'
import type { JsonSchema } from './openapi-model.ts'

export interface Schemas {
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema
  /** Those with a name, so far. */
  named: Record<string, JsonSchema>
}

export function createSchemas(): Schemas {
  const named: Record<string, JsonSchema> = {}
  const keep = (name: string, schema: JsonSchema) => {
    const known = named[name]
    // What goes in and what comes out can differ: then they are two things and want two names.
    if (known && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`bug: ${name} has two meanings in the API’s description`)
    }
    named[name] = schema
  }
  return {
    named,
    of(schema, io) {
      const { $schema, $defs, ...rest } = z.toJSONSchema(schema, {
        io,
        unrepresentable: 'any',
        override: ({ jsonSchema }) => {
          // The format says the same as zod's pattern for it, and people can read it.
          if (jsonSchema.format !== undefined) delete jsonSchema.pattern
          // The key it stands under says it.
          delete jsonSchema.id
        },
      })
      for (const [name, definition] of Object.entries($defs ?? {})) {
        keep(name, amongComponents(definition) as JsonSchema)
      }
      return amongComponents(rest) as JsonSchema
    },
  }
}

function amongComponents(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(amongComponents)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string'
        ? inner.replace('#/$defs/', '#/components/schemas/')
        : amongComponents(inner),
    ]),
  )
}
