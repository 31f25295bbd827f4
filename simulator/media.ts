// Files on Meta's side: uploaded by a business or sent by a customer, each reachable for a while.
import { createHash } from 'node:crypto'
import { makeDigits } from './identifiers.ts'
import type { Clock, Random } from './time-and-chance.ts'

export interface StoredMedia {
  id: string
  phone_number_id: string
  mime_type: string
  bytes: Buffer
  filename?: string
  /** Lower-case hex; webhooks have the same hash in base64. */
  sha256: string
  expiresAt: Date
}

export interface NewMedia {
  phone_number_id: string
  mime_type: string
  bytes: Buffer
  filename?: string
  /** Made up when left out. */
  id?: string
}

export interface Media {
  /** What a business uploads; its id lives 30 days. */
  upload(file: NewMedia): StoredMedia
  /** What a customer sends; its id lives 7 days. */
  receive(file: NewMedia): StoredMedia
  find(id: string): StoredMedia | undefined
  delete(id: string): void
  /** The part of a download URL after the host. It works for 5 minutes. */
  urlPath(media: StoredMedia): string
  /** What such a path leads to, unless it is too late or was made up. */
  open(query: { mid?: string; ext?: string; hash?: string }): StoredMedia | undefined
}

const dayMs = 24 * 60 * 60 * 1000
const urlLifetimeMs = 5 * 60 * 1000
/** Above this the files that came first are let go of: a laptop's memory is not Meta's. */
const capacityBytes = 512 * 1024 * 1024

export const downloadPath = '/whatsapp_business/attachments/'

export function createMedia(clock: Clock, random: Random): Media {
  const files = new Map<string, StoredMedia>()
  const secret = random.bytes(16).toString('hex')
  let storedBytes = 0

  function store(file: NewMedia, days: number): StoredMedia {
    const id = file.id ?? makeDigits(16, random)
    forget(id)
    const stored: StoredMedia = {
      ...file,
      id,
      sha256: createHash('sha256').update(file.bytes).digest('hex'),
      expiresAt: new Date(clock.now().getTime() + days * dayMs),
    }
    files.set(id, stored)
    storedBytes += file.bytes.length
    for (const oldest of files.keys()) {
      if (storedBytes <= capacityBytes || oldest === id) break
      forget(oldest)
    }
    return stored
  }

  function forget(id: string): void {
    storedBytes -= files.get(id)?.bytes.length ?? 0
    files.delete(id)
  }

  function find(id: string): StoredMedia | undefined {
    const media = files.get(id)
    return media !== undefined && media.expiresAt > clock.now() ? media : undefined
  }

  const hashOf = (id: string, ext: string) =>
    createHash('sha256').update(`${secret}:${id}:${ext}`).digest('base64url').slice(0, 24)

  return {
    upload: (file) => store(file, 30),
    receive: (file) => store(file, 7),
    find,
    delete: forget,
    urlPath({ id }) {
      const ext = String(Math.floor((clock.now().getTime() + urlLifetimeMs) / 1000))
      return `${downloadPath}?mid=${id}&ext=${ext}&hash=${hashOf(id, ext)}`
    },
    open({ mid, ext, hash }) {
      if (mid === undefined || ext === undefined || hash !== hashOf(mid, ext)) return undefined
      return Number(ext) * 1000 > clock.now().getTime() ? find(mid) : undefined
    },
  }
}
