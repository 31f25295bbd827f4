// A route, declared once: how it is called, who may, what goes in and out, and what it does.
import type { Readable } from 'node:stream'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import type { ErrorCode } from '../errors-table.ts'
import type { DeclaredError } from './error-codes.ts'
import type { Header, Reference } from './openapi-model.ts'

export type Principal =
  | { kind: 'operator'; name: string }
  | { kind: 'tenant'; tenantId: string; keyId: string }
  | PersonPrincipal

/** Somebody who signed in to the console. */
export interface PersonPrincipal {
  kind: 'person'
  personId: string
  sessionId: string
  role: 'operator' | 'admin' | 'agent'
  /** Null: an operator. */
  tenantId: string | null
  csrfToken: string
  expiresAt: Date
}

/** Null: an operator, who belongs to none. */
export function tenantOf(principal: Principal): string | null {
  return principal.kind === 'operator' ? null : principal.tenantId
}

/** Who may call: nobody in particular; nobody in particular, from our own page; whoever is signed in; a tenant, its
 *  agents too; a tenant without its agents; operators only; our own tasks. An operator may all that a tenant may, but must
 *  name the tenant. */
export type Access = 'public' | 'page' | 'person' | 'agent' | 'tenant' | 'operator' | 'internal'

export interface Call<Params, Query, Body, Headers = unknown> {
  headers: Headers
  setHeader(name: string, value: string): void
  params: Params
  query: Query
  body: Body
  /** The parts of a form, as they come; each is to be read to its end before the next. On routes with a `form` only. */
  parts(): AsyncIterable<FormPart>
  /** Whose data this call is about; set on `agent` and `tenant` routes. */
  tenantId: string
  /** Who is signed in; always there on `person` routes. */
  person: PersonPrincipal | undefined
  /** Who is asking, for the audit. */
  actor: string
  requestId: string
  /** Where the caller reached us: scheme, host and port. */
  origin: string
}

export interface FormField {
  kind: 'field'
  name: string
  value: string
}

export interface FormFile {
  kind: 'file'
  name: string
  filename: string | undefined
  /** As the sender says. */
  mimeType: string
  content: Readable
}

export type FormPart = FormField | FormFile

/** What a route with `givesFile` answers. */
export interface FileAnswer {
  status: 200 | 206
  headers: Record<string, string>
  content: Readable
}

export interface Route {
  /** Its name for programs, which stays: `messages.send` is also where the client has it. */
  operationId: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With Fastify's `:name` parameters. */
  path: string
  summary: string
  /** What the summary does not say. */
  description?: string
  access: Access
  params?: z.ZodType
  query?: z.ZodType
  /** Names in lower case. */
  headers?: z.ZodType
  body?: z.ZodType
  /** It takes multipart/form-data instead of JSON. Describes the parts; the handler reads and checks them. */
  form?: z.ZodType
  answer: z.ZodType
  /** It answers a `FileAnswer` instead of JSON. */
  givesFile?: true
  status?: 200 | 201 | 202 | 204
  /** Headers of the answer besides those of every answer. */
  answerHeaders?: Record<string, Header | Reference>
  /** The code of a bad body; `INVALID_REQUEST` unless said. */
  invalidCode?: ErrorCode
  /** What it refuses besides what every route of its kind does (route-errors.ts). */
  errors?: readonly DeclaredError[]
  handle(call: Call<unknown, unknown, unknown>): Promise<unknown>
}

interface TypedRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Headers extends z.ZodType,
> extends Omit<Route, 'params' | 'query' | 'headers' | 'body' | 'answer' | 'handle'> {
  params?: Params
  query?: Query
  headers?: Headers
  body?: Body
  answer: Answer
  handle(
    call: Call<z.output<Params>, z.output<Query>, z.output<Body>, z.output<Headers>>,
  ): Promise<z.input<Answer>>
}

/** Checks a route's types, then forgets them: a list of routes is plain data. */
export function route<
  Params extends z.ZodType = z.ZodNever,
  Query extends z.ZodType = z.ZodNever,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodNever,
  Headers extends z.ZodType = z.ZodNever,
>(typed: TypedRoute<Params, Query, Body, Answer, Headers>): Route {
  return typed as unknown as Route
}

/** More than this is not read by anybody. */
const maxFieldsNamed = 20

/** Validates one part of a request; the error names the fields that are wrong. */
export function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  part: string,
  code: ErrorCode,
): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  const fields = result.success ? unstorable(result.data) : result.error.issues.flatMap(problemsOf)
  if (result.success && fields.length === 0) return result.data
  const named = fields.slice(0, maxFieldsNamed).map(({ path, problem }) => ({
    field: fieldName(path).slice(0, 200) || part,
    problem,
  }))
  throw new AppError(code, 400, `${named[0]?.field ?? part}: ${named[0]?.problem}`, {
    details: { fields: named },
  })
}

/** As one would write it: `interactive.action.buttons[0].title`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((step, place) => {
      if (typeof step === 'number') return `[${step}]`
      return place === 0 ? String(step) : `.${String(step)}`
    })
    .join('')
}

interface Problem {
  path: PropertyKey[]
  problem: string
}

function problemsOf(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, problem: issue.message }]
  return issue.keys.map((key) => ({ path: [...issue.path, key], problem: 'unknown field' }))
}

/** Far more than any message of Meta's has; a few thousand would overflow the stack of those who walk it after us. */
const maxDepth = 100

/** Text that is fine in JSON but that Postgres refuses: NUL anywhere, half a surrogate pair in jsonb. */
function unstorable(data: unknown): Problem[] {
  const found: Problem[] = []
  const rest: { value: unknown; path: PropertyKey[] }[] = [{ value: data, path: [] }]
  for (let next = rest.pop(); next; next = rest.pop()) {
    const { value, path } = next
    if (typeof value === 'string') {
      const problem = textProblem(value)
      if (problem) found.push({ path, problem })
    } else if (typeof value === 'object' && value !== null) {
      if (path.length >= maxDepth) return [{ path: path.slice(0, 3), problem: 'nested too deeply' }]
      for (const [key, inner] of Object.entries(value)) {
        if (textProblem(key)) found.push({ path, problem: 'has a name that is not text' })
        rest.push({ value: inner, path: [...path, Array.isArray(value) ? Number(key) : key] })
      }
    }
  }
  return found
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'has a NUL character'
  return text.isWellFormed() ? undefined : 'is not valid Unicode (half of a surrogate pair)'
}
