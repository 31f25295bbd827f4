// What is to be sent, as a list that only changes by these functions: in the order written, one at a time per conversation.
import { ApiProblem } from '../../../api/problem.ts'

/** The Cloud API's message object without its recipient, such as `{ type: 'text', text: { body } }`. */
export type Draft = Record<string, unknown> & { type: string }

/** A file that is uploaded before its message is sent. */
export interface DraftFile {
  /** Where in the draft the id of the uploaded file belongs: `['image', 'id']`. */
  at: (string | number)[]
  file: File
}

/** Whom it goes to, as the API asks for it. */
export interface Address {
  phone_number_id: string
  recipient_type?: 'group'
  to?: string
  recipient?: string
}

/** Why nothing happens with it right now; it goes on by itself. */
export type WaitsFor = 'connection' | 'gateway' | 'session' | 'account'

export interface Item {
  /** Its idempotency key: the same for every try. */
  key: string
  tenantId: string | null
  conversationId: string
  address: Address
  draft: Draft
  writtenAt: string
  /** Files that are still to be uploaded; their bytes are in this page's memory alone. */
  files: { at: (string | number)[]; name: string }[]
  /** Tries since the last one that got further. */
  tries: number
  waitsFor?: WaitsFor | undefined
  /** Of the file that is being uploaded, from 0 to 1. */
  progress?: number | undefined
  /** It was refused, and waits for a person. */
  problem?: ApiProblem | undefined
  /** The gateway has it. */
  messageId?: string | undefined
}

/** How one try ended. */
export type Outcome =
  | { kind: 'accepted'; messageId: string }
  | { kind: 'waits'; for: WaitsFor }
  | { kind: 'refused'; problem: ApiProblem }

export const isUnsent = (item: Item) => item.messageId === undefined
const isWaiting = (item: Item) => isUnsent(item) && item.problem === undefined

/** What a refusal stops is itself; what waits also holds up what was written after it. */
export function nextOf(items: Item[], conversationId: string): Item | undefined {
  return items.find((item) => item.conversationId === conversationId && isWaiting(item))
}

export function conversationsWaiting(items: Item[]): string[] {
  return [...new Set(items.filter(isWaiting).map((item) => item.conversationId))]
}

export function changed(items: Item[], key: string, changes: Partial<Item>): Item[] {
  return items.map((item) => (item.key === key ? { ...item, ...changes } : item))
}

export function without(items: Item[], keys: string[]): Item[] {
  return items.filter((item) => !keys.includes(item.key))
}

export function settled(items: Item[], key: string, outcome: Outcome): Item[] {
  const before = items.find((item) => item.key === key)
  if (!before) return items
  if (outcome.kind === 'accepted') {
    return changed(items, key, { messageId: outcome.messageId, ...calm })
  }
  if (outcome.kind === 'refused') return changed(items, key, { problem: outcome.problem, ...calm })
  const tries = before.tries + 1
  return changed(items, key, { waitsFor: outcome.for, progress: undefined, tries })
}

const calm = { waitsFor: undefined, progress: undefined, tries: 0 }

export function retried(items: Item[], key: string): Item[] {
  return changed(items, key, { problem: undefined, ...calm })
}

/** The file has an id now; the message is one step further. */
export function uploaded(items: Item[], key: string, mediaId: string): Item[] {
  return items.map((item) => {
    const [file, ...files] = item.files
    if (item.key !== key || !file) return item
    const draft = putAt(item.draft, file.at, mediaId) as Draft
    return { ...item, draft, files, progress: undefined, tries: 0 }
  })
}

function putAt(target: unknown, [step, ...rest]: (string | number)[], value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(target)) {
    return target.map((one, index) => (index === step ? putAt(one, rest, value) : one))
  }
  const holder = (target ?? {}) as Record<string, unknown>
  return { ...holder, [step]: putAt(holder[step], rest, value) }
}

/** What the problem of a try means. */
export function outcomeOf(problem: ApiProblem): Outcome {
  if (problem.status === 0) return { kind: 'waits', for: 'connection' }
  if (problem.status === 401 || problem.code === 'CSRF_TOKEN_WRONG') {
    return { kind: 'waits', for: 'session' }
  }
  // It is not the message that is refused: it goes out once the number is connected again.
  if (problem.code === 'WHATSAPP_REAUTH_REQUIRED') return { kind: 'waits', for: 'account' }
  if (problem.isPassing) return { kind: 'waits', for: 'gateway' }
  return { kind: 'refused', problem }
}

const firstWaitMs = 1_000
const longestWaitMs = 30_000

/** `chance` from 0 to 1 spreads those who lost the same connection at the same time. */
export function waitAfter(tries: number, chance: number): number {
  return Math.min(longestWaitMs, firstWaitMs * 2 ** Math.max(0, tries - 1)) * (0.5 + chance / 2)
}

export function toText(items: Item[]): string {
  const kept = items.filter(isUnsent).map(({ progress: _, problem, ...item }) => ({
    ...item,
    ...(problem && { problem: { ...problem, message: problem.message } }),
  }))
  return JSON.stringify(kept)
}

/** After a reload: what was not uploaded yet is not here any more. */
export function fromText(text: string): Item[] {
  return (JSON.parse(text) as Item[]).map(({ problem, ...item }) => {
    const lost = item.files.length > 0
    if (lost) return { ...item, problem: fileGone() }
    if (!problem) return item
    const { status, code, message, requestId, details } = problem
    return { ...item, problem: new ApiProblem(status, code, message, requestId, details) }
  })
}

const fileGone = () =>
  new ApiProblem(400, 'FILE_GONE', 'The page was loaded anew before the file was uploaded.')
