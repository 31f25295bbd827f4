// Before a message is accepted: whether the files it names are there, are the caller's, and are what Meta takes in that place.
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { targetProblem } from '../net/guarded-agent.ts'
import { kindOf, largestBytes, limitOf } from './kinds.ts'
import type { MediaRow } from './model.ts'
import { keepLonger, selectMedia } from './queries.ts'
import { type MediaReference, mediaReferences } from './references.ts'

export interface CheckOptions {
  db: Db
  clock: { now(): Date }
  allowPrivateTargets: boolean
}

export function createMediaCheck({ db, clock, allowPrivateTargets }: CheckOptions) {
  /** Throws what names the field. */
  return async (tenantId: string, message: Record<string, unknown>): Promise<void> => {
    const references = mediaReferences(message)
    if (references.length === 0) return
    const ids = [...new Set(references.flatMap(({ uuid }) => uuid ?? []))]
    const rows = ids.length === 0 ? [] : await selectMedia(db, tenantId, ids)
    const byId = new Map(rows.map((row) => [row.id, row]))
    const problems = references.flatMap((reference) => {
      const problem = problemOf(reference, byId, allowPrivateTargets)
      return problem ? [problem] : []
    })
    const [first] = problems
    if (first) {
      throw new AppError('INVALID_MESSAGE', 400, `${first.field}: ${first.problem}`, {
        details: { fields: problems },
      })
    }
    if (ids.length > 0) await keepLonger(db, tenantId, ids, clock.now())
  }
}

function problemOf(
  { path, kind, id, uuid, link }: MediaReference,
  rows: Map<string, MediaRow>,
  allowPrivate: boolean,
): { field: string; problem: string } | undefined {
  if (link !== undefined) {
    // Meta fetches it, not we; but what leads into a private network was not meant for Meta.
    const problem = targetProblem(link, { allowPrivate })
    return problem === undefined ? undefined : { field: `${path}.link`, problem }
  }
  const field = `${path}.id`
  if (uuid === undefined) {
    return id?.startsWith('med_') ? { field, problem: 'there is no such file' } : undefined
  }
  const row = rows.get(uuid)
  if (!row || row.state === 'uploading') return { field, problem: 'there is no such file' }
  if (row.state === 'pending') return { field, problem: 'the file is still being fetched' }
  if (row.state !== 'stored') return { field, problem: 'the file is no longer there' }
  if (kindOf(row.mimeType) !== kind) return { field, problem: `the file cannot be sent as ${kind}` }
  // Of a sticker that a contact sent nobody looked at the head: Meta will.
  const limit = kind === 'sticker' ? largestBytes : limitOf(kind, Buffer.alloc(0))
  if ((row.bytes ?? 0) > limit) return { field, problem: `the file is too large for ${kind}` }
  return undefined
}
