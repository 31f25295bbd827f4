// Resumable uploads: how the sample of a template's media header becomes a handle.
import type { Random } from './time-and-chance.ts'

export interface UploadSession {
  id: string
  app_id: string
  file_name?: string
  file_length: number
  file_type: string
  received: Buffer
  handle: string | null
}

export interface Uploads {
  open(about: Omit<UploadSession, 'id' | 'received' | 'handle'>): UploadSession
  find(id: string): UploadSession | undefined
  /** Adds what comes next; the handle is there once all of it has come. */
  append(session: UploadSession, bytes: Buffer): void
  isHandle(text: string): boolean
}

/** Few are ever open at once; the oldest go, so that a long run does not grow. */
const maxSessions = 200

export function createUploads(random: Random): Uploads {
  const sessions = new Map<string, UploadSession>()
  // Those of the sample templates came with the account.
  const handles = new Set<string>(['4::sample'])
  return {
    open(about) {
      const id = `upload:${random.bytes(24).toString('base64url')}`
      const session = { ...about, id, received: Buffer.alloc(0), handle: null }
      sessions.set(id, session)
      if (sessions.size > maxSessions) sessions.delete(sessions.keys().next().value ?? '')
      return session
    },
    find: (id) => sessions.get(id),
    append(session, bytes) {
      session.received = Buffer.concat([session.received, bytes])
      if (session.received.length < session.file_length) return
      session.handle ??= `4::${random.bytes(24).toString('base64url')}`
      handles.add(session.handle)
    },
    isHandle: (text) => handles.has(text),
  }
}
