// A file that a contact sent: looked up at Meta, downloaded, compared with what was promised, stored. One attempt; no
// transaction is open here. Meta's URL lives minutes, so every attempt asks for a new one.
import { tokenOfNumber } from '../accounts/token.ts'
import type { Vault } from '../accounts/vault.ts'
import type { Db } from '../db/connect.ts'
import type { NumberAccess } from '../meta/graph.ts'
import type { Download, FileAtMeta, Found, GraphMedia } from '../meta/graph-media.ts'
import { classify } from '../meta/outcomes.ts'
import type { Random } from '../time-and-chance.ts'
import type { FetchOutcome } from './decide-fetch.ts'
import { largestBytes } from './kinds.ts'
import type { FetchJob } from './model.ts'
import { type Spooled, spool, TooLarge } from './spool.ts'
import { keyOf, type MediaStore, StoreUnavailable } from './store.ts'

export interface Fetcher {
  db: Db
  vault: Vault
  graphMedia: GraphMedia
  store: MediaStore
  random: Random
}

export interface Fetched {
  outcome: FetchOutcome
  /** Meta refused the token itself, which was set at this time, with these words. */
  tokenTrouble?: { reason: string; tokenSetAt: string }
}

export async function fetchOne(
  fetcher: Fetcher,
  job: FetchJob,
  signal: AbortSignal,
): Promise<Fetched> {
  if (job.isOver) return { outcome: { kind: 'over' } }
  const access = await accessOf(fetcher, job)
  if ('kind' in access) return { outcome: access }
  const found = await fetcher.graphMedia.find(access, job.metaMediaId)
  if (signal.aborted) return { outcome: { kind: 'released' } }
  if (found.kind !== 'found') return notFound(found, access.tokenSetAt)
  if ((found.file.bytes ?? 0) > largestBytes) return { outcome: tooLarge }
  const download = await fetcher.graphMedia.download(access, found.file.url, signal)
  if (download.kind !== 'content') {
    return { outcome: signal.aborted ? { kind: 'released' } : notDownloaded(download) }
  }
  try {
    const spooled = await spool(
      download.content,
      () => Math.min(found.file.bytes ?? largestBytes, largestBytes),
      fetcher.random,
    )
    return { outcome: await keep(fetcher, job, found.file, spooled) }
  } catch (error) {
    if (signal.aborted) return { outcome: { kind: 'released' } }
    return { outcome: brokenOff(error, found.file) }
  } finally {
    download.end()
    download.content.destroy()
  }
}

const tooLarge: FetchOutcome = { kind: 'impossible', error: 'TOO_LARGE' }

/** The token of the number that got the message, or why there is none to be had now. */
async function accessOf(
  { db, vault }: Fetcher,
  { tenantId, phoneNumberId }: FetchJob,
): Promise<(NumberAccess & { tokenSetAt: string }) | FetchOutcome> {
  const token = await tokenOfNumber(db, vault, tenantId, phoneNumberId)
  if (!token) return { kind: 'waiting', error: 'ACCOUNT_NOT_FOUND' }
  if (token.authStatus === 'needs_reauth') return { kind: 'waiting', error: 'ACCOUNT_NEEDS_REAUTH' }
  return { phoneNumberId, accessToken: token.accessToken, tokenSetAt: token.setAt }
}

function notFound(answer: Exclude<Found, { kind: 'found' }>, tokenSetAt: string): Fetched {
  if (answer.kind === 'unreachable') return { outcome: { kind: 'trouble', error: 'NOT_REACHED' } }
  const { code, subcode } = answer.provider
  // On a send the same words are about the number; here they are about the file.
  if (code === 100 && (subcode === 33 || subcode === null)) return { outcome: { kind: 'gone' } }
  const { class: kind, errorCode, retryAfterSeconds, advice, provider } = classify(answer)
  if (kind !== 'auth') {
    return { outcome: { kind: 'trouble', error: errorCode ?? 'REFUSED', retryAfterSeconds } }
  }
  return {
    outcome: { kind: 'waiting', error: 'ACCESS_REFUSED' },
    ...(errorCode === 'TOKEN_INVALID' && {
      tokenTrouble: { reason: provider?.message ?? advice, tokenSetAt },
    }),
  }
}

function notDownloaded(download: Exclude<Download, { kind: 'content' }>): FetchOutcome {
  if (download.kind === 'foreign_host') return { kind: 'trouble', error: 'HOST_NOT_METAS' }
  if (download.kind === 'unreachable') {
    const error = download.code === 'TARGET_REFUSED' ? 'TARGET_REFUSED' : 'NOT_REACHED'
    return { kind: 'trouble', error }
  }
  const isRedirect = download.statusCode >= 300 && download.statusCode < 400
  return { kind: 'trouble', error: isRedirect ? 'REDIRECT_REFUSED' : 'DOWNLOAD_REFUSED' }
}

async function keep(
  { store }: Fetcher,
  job: FetchJob,
  file: FileAtMeta,
  spooled: Spooled,
): Promise<FetchOutcome> {
  try {
    const { bytes, sha256 } = spooled
    if (file.bytes !== null && file.bytes !== bytes)
      return { kind: 'trouble', error: 'SIZE_DIFFERS' }
    const promises = [file.sha256, job.promisedSha256]
    if (promises.some((promised) => promised !== null && !promised.equals(sha256))) {
      return { kind: 'trouble', error: 'HASH_DIFFERS' }
    }
    await store.put(keyOf(job.tenantId, job.id), spooled.read(), spooled)
    // crash point: media.stored-before-row
    return { kind: 'stored', bytes, sha256, mimeType: mimeTypeOf(file, job) }
  } finally {
    await spooled.discard()
  }
}

function mimeTypeOf({ mimeType }: FileAtMeta, job: FetchJob): string {
  return mimeType !== null && /^[\x20-\x7e]{1,200}$/.test(mimeType) ? mimeType : job.mimeType
}

function brokenOff(error: unknown, file: FileAtMeta): FetchOutcome {
  if (error instanceof StoreUnavailable) return { kind: 'trouble', error: 'STORE_UNAVAILABLE' }
  if (error instanceof TooLarge) {
    // More than announced may be a mistake of this one answer; more than Meta ever sends is not to be had.
    return file.bytes === null ? tooLarge : { kind: 'trouble', error: 'SIZE_DIFFERS' }
  }
  return { kind: 'trouble', error: 'DOWNLOAD_BROKEN' }
}
