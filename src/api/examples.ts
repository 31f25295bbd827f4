// Examples for the API's description: by the schema's name, or put together from those of its parts. All of it is fictional.
import { deadLetterExamples } from './examples-dead-letters.ts'
import { eventExamples } from './examples-events.ts'
import { messageExamples } from './examples-messages.ts'
import { opsExamples } from './examples-ops.ts'
import { tenantExamples } from './examples-tenants.ts'
import type { JsonSchema } from './openapi-model.ts'

const examples: Record<string, unknown> = {
  ...tenantExamples,
  ...messageExamples,
  ...eventExamples,
  ...deadLetterExamples,
  ...opsExamples,
}

/** Undefined where nobody has written one. */
export function exampleOf(schema: JsonSchema, named: Record<string, JsonSchema>): unknown {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return examples[name] ?? exampleOf(named[name] ?? {}, named)
  }
  if (schema.const !== undefined) return schema.const
  const options = (schema.anyOf ?? []) as JsonSchema[]
  if ([schema, ...options].some(({ type }) => [type].flat().includes('null'))) return null
  if (schema.type === 'integer') return 1
  if (schema.type === 'array') {
    const item = exampleOf((schema.items ?? {}) as JsonSchema, named)
    return item === undefined ? undefined : [item]
  }
  if (schema.type !== 'object' || schema.properties === undefined) return undefined
  const required = (schema.required ?? []) as string[]
  const parts = Object.entries(schema.properties as Record<string, JsonSchema>)
    .filter(([name]) => required.includes(name))
    .map(([name, part]) => [name, exampleOf(part, named)] as const)
  return parts.some(([, part]) => part === undefined) ? undefined : Object.fromEntries(parts)
}

/** What stands for an id in a path, by the word before it. */
const ids: Record<string, string> = {
  tenants: '01a1e2b0-0957-701b-bfd6-5e8f68cd8386',
  'api-keys': 'key_01a1e2b00957701c9a3be0c1d2e3f405',
  accounts: 'acc_01a1e2b00957701d8c5df2e3a4b5c607',
  people: 'usr_01a1e2b00957701e9e7f04152637a8b9',
  messages: 'msg_01a1e2b00957701f8ad46e451c6fc14c',
  conversations: 'conv_01a1e2b009577020a7c1d0e2f3a4b5c6',
  templates: 'tpl_01a1e2b009577021b8d2e1f3a4b5c6d7',
  media: 'med_01a1e2b009577022c9e3f2a4b5c6d7e8',
  suppressions: 'sup_01a1e2b009577023daf4a3b5c6d7e8f9',
  dlq: 'dlq_01a1e2b009577024eb05b4c6d7e8f90a',
  'event-endpoints': 'ep_01a1e2b009577025fc16c5d7e8f90a1b',
  deliveries: 'evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12',
  'alert-channels': 'ach_01a1e2b0095770260d27d6e8f90a1b2c',
}

export function parameterExample(path: string, place: string, name: string): string | undefined {
  if (place === 'header' && name === 'idempotency-key') return 'order-4711-confirmation'
  if (place !== 'path') return undefined
  const [, word = ''] = new RegExp(`([\\w-]+)/:${name}(/|$)`).exec(path) ?? []
  return ids[word]
}
