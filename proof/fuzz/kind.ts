// What every kind of fuzzing has in common: cases made from dice, run against an oracle, made smaller when they fail.
import type { Dice } from './dice.ts'

export type Verdict = string | undefined

export const kindNames = ['bytes', 'grammar', 'routes'] as const

/** Of cases that are plain data (Buffers included), so that a failed one can be kept. */
export interface Kind<Case> {
  name: (typeof kindNames)[number]
  /** So many are made, run and settled before the next. */
  chunkSize: number
  inFlight: number
  make(dice: Dice, number: number): Case
  /** What is wrong with what became of it; undefined when nothing is. */
  run(one: Case): Verdict | Promise<Verdict>
  /** Cases that are a little less than this one, the smallest first. */
  smaller(one: Case): Iterable<Case>
  /** After a chunk: what only shows at the end, by the place in the chunk. */
  settle?(chunk: Case[]): Promise<Map<number, string>>
  /** How long to read it keeps anybody's event loop busy, on this machine and now. */
  leastMs?(one: Case): number
  /** Of what was counted while it ran: name and count. */
  counts(): Map<string, number>
  /** What a run of so many cases should have come by, and did not. */
  missed?(made: number): string[]
}

export interface Failure {
  kind: Kind<unknown>['name']
  number: number
  problem: string
  /** The smallest form that was found. */
  case: unknown
}

/** As text, with bytes in base64. */
export function written(one: unknown): string {
  return JSON.stringify(one, (_key, value) => {
    const isBytes = typeof value === 'object' && value !== null && value.type === 'Buffer'
    return isBytes ? { base64: Buffer.from(value.data).toString('base64') } : value
  })
}

export function readWritten(text: string): unknown {
  return JSON.parse(text, (_key, value) => {
    const isBytes = typeof value === 'object' && value !== null && typeof value.base64 === 'string'
    return isBytes ? Buffer.from(value.base64, 'base64') : value
  })
}
