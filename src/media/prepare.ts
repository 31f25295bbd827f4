// Right before a send: the files that the message names by our ids are handed over to Meta, unless Meta has them already.
// What goes wrong here is told like the outcome of a send, and the message is not posted.

import type { Db } from '../db/connect.ts'
import type { MessageCode } from '../errors-messages.ts'
import { uuidOf } from '../ids.ts'
import { errorFields, type Log } from '../log.ts'
import type { NumberAccess } from '../meta/graph.ts'
import type { GraphMedia, Uploaded } from '../meta/graph-media.ts'
import { classify, type Outcome } from '../meta/outcomes.ts'
import type { Metrics } from '../metrics.ts'
import { plainFilename, safeFilename } from './filename.ts'
import { bareMimeType } from './kinds.ts'
import type { MediaRow } from './model.ts'
import { forgetHandle, saveHandle, selectHandles, selectMedia } from './queries.ts'
import { mediaReferences, withMetaIds } from './references.ts'
import { keyOf, type MediaStore } from './store.ts'

export interface PreparerOptions {
  db: Db
  store: MediaStore
  graphMedia: GraphMedia
  clock: { now(): Date }
  log: Log
  metrics: Metrics
}

export interface SendingNumber extends NumberAccess {
  tenantId: string
}

export type Prepared =
  | {
      content: Record<string, unknown>
      /** To be called when Meta refuses the message for good: the ids may be why, and are not used again. */
      onRefused(): Promise<void>
    }
  /** And how Meta answered the call for it, where one was made: that tells of Meta, not only of the message. */
  | { outcome: Outcome; called: Outcome | null }

export type PrepareContent = (
  number: SendingNumber,
  content: Record<string, unknown>,
) => Promise<Prepared>

const dayMs = 24 * 60 * 60 * 1000
/** Meta keeps uploads 30 days; an id that is about to die may be dead when the message is delivered. */
const handleLifeMs = 30 * dayMs
const handleMarginMs = dayMs

export function createPreparer(options: PreparerOptions): PrepareContent {
  const { db, clock, log, metrics } = options
  /** Many messages with the same file start together; one of them hands it over. */
  const underWay = new Map<string, Promise<Uploaded | Outcome>>()

  function handOver(number: SendingNumber, row: MediaRow): Promise<Uploaded | Outcome> {
    const name = nameOf(number, row)
    const running = underWay.get(name)
    if (running !== undefined) return running
    const started = upload(options, number, row).finally(() => underWay.delete(name))
    underWay.set(name, started)
    return started
  }

  async function prepare(
    number: SendingNumber,
    content: Record<string, unknown>,
    ids: string[],
  ): Promise<Prepared> {
    const { tenantId, phoneNumberId } = number
    const uuids = ids.map((id) => uuidOf('med', id) ?? '')
    const rows = new Map((await selectMedia(db, tenantId, uuids)).map((row) => [row.id, row]))
    const until = new Date(clock.now().getTime() + handleMarginMs)
    const handles = await selectHandles(db, tenantId, phoneNumberId, uuids, until)
    const known = new Map(handles.map((handle) => [handle.mediaId, handle.metaMediaId]))
    const metaIds = new Map<string, string>()
    for (const [index, uuid] of uuids.entries()) {
      const row = rows.get(uuid)
      if (row?.state !== 'stored') return { outcome: missing(), called: null }
      const reused = known.get(uuid)
      if (reused !== undefined) metrics.mediaHandovers.inc({ outcome: 'reused' })
      // Who waits for another's call has made none.
      const isOurs = !underWay.has(nameOf(number, row))
      const given = reused ?? (await handOver(number, row))
      if (typeof given === 'string') metaIds.set(ids[index] ?? '', given)
      else if ('class' in given) return { outcome: given, called: null }
      else if (given.kind === 'uploaded') metaIds.set(ids[index] ?? '', given.id)
      else return { outcome: outcomeOf(given), called: isOurs ? classify(given) : null }
    }
    return {
      content: withMetaIds(content, metaIds),
      onRefused: async () => {
        for (const [id, metaMediaId] of metaIds) {
          const mediaId = uuidOf('med', id) ?? ''
          await forgetHandle(db, { tenantId, phoneNumberId, mediaId, metaMediaId }).catch(
            () => undefined,
          )
        }
      },
    }
  }

  return async (number, content) => {
    const named = mediaReferences(content).filter(({ uuid }) => uuid !== undefined)
    if (named.length === 0) return { content, onRefused: async () => undefined }
    const ids = [...new Set(named.flatMap(({ id }) => id ?? []))]
    try {
      return await prepare(number, content, ids)
    } catch (error) {
      log.warn('media_handover_failed', { tenant_id: number.tenantId, ...errorFields(error) })
      return { outcome: notReady(), called: null }
    }
  }
}

async function upload(
  { db, store, graphMedia, clock, log, metrics }: PreparerOptions,
  number: SendingNumber,
  row: MediaRow,
): Promise<Uploaded | Outcome> {
  const { tenantId, phoneNumberId } = number
  const content = await store.get(keyOf(tenantId, row.id))
  if (!content) return missing()
  const handedAt = clock.now()
  const answer = await graphMedia.upload(number, {
    filename: plainFilename(safeFilename(row.filename, row)),
    mimeType: bareMimeType(row.mimeType),
    bytes: row.bytes ?? 0,
    content,
  })
  metrics.mediaHandovers.inc({ outcome: answer.kind })
  if (answer.kind !== 'uploaded') return answer
  const expiresAt = new Date(handedAt.getTime() + handleLifeMs)
  const handle = { tenantId, phoneNumberId, mediaId: row.id, metaMediaId: answer.id, expiresAt }
  // Not remembered, it is handed over once more the next time; this message can go.
  await saveHandle(db, handle).catch((error) =>
    log.warn('media_handle_not_kept', { tenant_id: tenantId, ...errorFields(error) }),
  )
  return answer
}

function nameOf({ tenantId, phoneNumberId }: SendingNumber, { id }: MediaRow): string {
  return `${tenantId} ${phoneNumberId} ${id}`
}

/** Two of the same file at Meta do no harm, so a lost answer is simply one that did not come. */
function outcomeOf(answer: Exclude<Uploaded, { kind: 'uploaded' }>): Outcome {
  const outcome = classify(answer)
  return outcome.class === 'unknown'
    ? classify({ kind: 'unreachable', code: 'UPLOAD_UNKNOWN', bytesLeft: false })
    : outcome
}

function missing(): Outcome {
  return ours('permanent', 'MEDIA_NOT_AVAILABLE', 'The file is no longer there: upload it again.')
}

function notReady(): Outcome {
  return ours(
    'not_sent',
    'MEDIA_NOT_READY',
    'The file could not be read; it is tried again by itself.',
  )
}

function ours(kind: 'permanent' | 'not_sent', errorCode: MessageCode, advice: string): Outcome {
  return {
    class: kind,
    scope: 'message',
    errorCode,
    advice,
    wamid: null,
    statusCode: null,
    provider: null,
    retryAfterSeconds: null,
  }
}
