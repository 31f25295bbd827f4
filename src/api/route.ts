// A route, declared once: how it is called, who may, what goes in and out, and what it does.
import type { z } from 'zod'
import { AppError } from '../errors.ts'

export type Principal =
  | { kind: 'operator'; name: string }
  | { kind: 'tenant'; tenantId: string; keyId: string; isSuspended: boolean }

/** Who may call: nobody in particular, a tenant (or an operator who names one), operators only. */
export type Access = 'public' | 'tenant' | 'operator'

export interface Call<Params, Query, Body> {
  params: Params
  query: Query
  body: Body
  /** Whose data this call is about; set on `tenant` routes. */
  tenantId: string
  /** Who is asking, for the audit. */
  actor: string
  requestId: string
}

export interface Route {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With Fastify's `:name` parameters. */
  path: string
  summary: string
  access: Access
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
  answer: z.ZodType
  status?: 200 | 201 | 202 | 204
  /** The code of a bad body; `INVALID_REQUEST` unless said. */
  invalidCode?: string
  handle(call: Call<unknown, unknown, unknown>): Promise<unknown>
}

interface TypedRoute<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> extends Omit<Route, 'params' | 'query' | 'body' | 'answer' | 'handle'> {
  params?: Params
  query?: Query
  body?: Body
  answer: Answer
  handle(call: Call<z.output<Params>, z.output<Query>, z.output<Body>>): Promise<z.input<Answer>>
}

/** Checks a route's types, then forgets them: a list of routes is plain data. */
export function route<
  Params extends z.ZodType = z.ZodNever,
  Query extends z.ZodType = z.ZodNever,
  Body extends z.ZodType = z.ZodNever,
  Answer extends z.ZodType = z.ZodNever,
>(typed: TypedRoute<Params, Query, Body, Answer>): Route {
  return typed as unknown as Route
}

/** Validates one part of a request; the error names every field that is wrong. */
export function parsePart(
  schema: z.ZodType | undefined,
  value: unknown,
  part: string,
  code: string,
): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const fields = result.error.issues.map((issue) => ({
    field: issue.path.map(String).join('.') || part,
    problem: issue.message,
  }))
  const first = fields[0]
  throw new AppError(
    code,
    400,
    first ? `${first.field}: ${first.problem}` : `The ${part} is not valid.`,
    {
      details: { fields },
    },
  )
}
