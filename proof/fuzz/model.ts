// The nouns of the fuzzing: who reads, what is delivered, what is asked of a route, and where.
import type { OpenApiDocument, ResolvedOperation } from '../../src/api/openapi-model.ts'
import type { Route } from '../../src/api/route.ts'
import type { Db } from '../../src/db/connect.ts'
import type { Firm } from '../../test/support/world.ts'
import type { Ask, FuzzRequest } from './http.ts'

export interface Reader {
  name: string
  samples: Buffer[]
  /** Any node of a sample may be changed too, not only its bytes. */
  isJson?: true
  /** What is wrong with how this was read; it may also throw. */
  read(bytes: Buffer): string | undefined | Promise<string | undefined>
}

export interface GrammarCase {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: Buffer
  /** With the right signature, besides the headers. */
  isSigned: boolean
  allowed: number[]
  /** Ids of messages in it that must be in the database at the end, once each. */
  good: string[]
  /** Ids that must not. */
  refused: string[]
}

export interface GrammarPlace {
  ask: Ask
  db: Db
  /** Puts the database back to where it was. */
  restore(): Promise<void>
  troubles(): string[]
}

export interface RouteCase extends FuzzRequest {
  /** `GET /api/whatsapp/messages/{id}`. */
  route: string
  /** Who calls. */
  as: string
}

export interface RoutesPlace {
  ask: Ask
  url: string
  document: OpenApiDocument<ResolvedOperation>
  /** The same routes with the schemas of their answers. */
  routes: Route[]
  firms: { A: Firm; B: Firm }
  restore(): Promise<void>
  troubles(): string[]
}

export interface Target {
  name: string
  method: string
  path: string
  operation: ResolvedOperation
  declared: Route | undefined
}
