// Who wrote: a payload's names for somebody → one contact. Contacts become one only on Meta's evidence: both ids in one
// payload, a changed number, a changed user id. What follows from that for conversations is the caller's to do.
import type { Tx } from '../db/connect.ts'
import type { ContactRow, Identity } from './model.ts'
import {
  insertContacts,
  lockIdentities,
  markMerged,
  selectContacts,
  updateIds,
  updateNames,
} from './queries.ts'

/** Two contacts turned out to be one, or one has a new id. */
export interface IdentityChange {
  tenantId: string
  winner: ContactRow
  /** Undefined when nobody was merged and only an id changed. */
  loserId: string | undefined
}

/** Thrown when somebody's identity changes and the caller holds the shared lock only: do it again, exclusively. */
export class IdentityChanges extends Error {
  constructor() {
    super('an identity changes; the exclusive lock is needed')
    this.name = 'IdentityChanges'
  }
}

export interface Resolution {
  /** By `identityKey`. */
  contacts: Map<string, ContactRow>
  changes: IdentityChange[]
}

export type LockMode = 'shared' | 'exclusive'

interface Context {
  tx: Tx
  mode: LockMode
  newId: () => string
  now: Date
}

export function identityKey(identity: Pick<Identity, 'tenantId' | 'waId' | 'userId'>): string {
  return `${identity.tenantId} ${identity.waId ?? ''} ${identity.userId ?? ''}`
}

export async function lockContacts(tx: Tx, tenantIds: string[], mode: LockMode): Promise<void> {
  if (tenantIds.length > 0) await lockIdentities(tx, tenantIds, mode)
}

/** The caller holds the lock of `lockContacts` in `mode`. */
export async function resolveContacts(
  identities: Identity[],
  context: Context,
): Promise<Resolution> {
  const wanted = distinct(identities)
  const resolution: Resolution = { contacts: new Map(), changes: [] }
  if (wanted.length === 0) return resolution
  let known = index(await selectContacts(context.tx, wanted))
  const strangers = wanted.filter((identity) => known.find(identity).length === 0)
  if (strangers.length > 0) {
    await insertContacts(
      context.tx,
      strangers.map((identity) => ({ ...identity, id: context.newId() })),
      context.now,
    )
    known = index(await selectContacts(context.tx, wanted))
  }
  const renamed = new Map<string, ContactRow>()
  for (const identity of wanted) {
    const contact = await settle(identity, known, resolution, context)
    resolution.contacts.set(identityKey(identity), {
      ...contact,
      name: identity.name ?? contact.name,
      username: identity.username ?? contact.username,
    })
    if (isRenamed(contact, identity)) {
      renamed.set(contact.id, { ...contact, name: identity.name, username: identity.username })
    }
  }
  if (renamed.size > 0) await updateNames(context.tx, [...renamed.values()], context.now)
  return resolution
}

/** Meta says that whoever was `before` is `after` now. Needs the exclusive lock. */
export async function changeIdentity(
  before: Identity,
  after: Identity,
  context: Context,
): Promise<IdentityChange | undefined> {
  if (context.mode !== 'exclusive') throw new IdentityChanges()
  const known = index(await selectContacts(context.tx, [before, after]))
  const [old] = known.find(before)
  // Nobody we know: whoever it is will be met under the new id.
  if (!old) return undefined
  const ids = {
    waId: after.waId ?? old.waId,
    userId: after.userId ?? old.userId,
  }
  const resolution: Resolution = { contacts: new Map(), changes: [] }
  const others = known.find(after).filter((contact) => contact.id !== old.id)
  await become(old, ids, others, resolution, context)
  return resolution.changes[0]
}

/**
 * Whoever is filed under `asked` is `meant`, who stays. Two who are known to be two people (by their user ids) stay two.
 * Undefined when nobody is known under either. Needs the exclusive lock.
 */
export async function absorb(
  tx: Tx,
  asked: Identity,
  meant: Identity,
  now: Date,
): Promise<{ contactId: string; change: IdentityChange | undefined } | undefined> {
  const known = index(await selectContacts(tx, [asked, meant]))
  const [old] = known.find(asked)
  const [real] = known.find(meant)
  const winner = real ?? old
  if (!winner) return undefined
  const areTwo = old?.userId && real?.userId && old.userId !== real.userId
  if (!old || areTwo) return { contactId: winner.id, change: undefined }
  const resolution: Resolution = { contacts: new Map(), changes: [] }
  const ids = { waId: meant.waId, userId: winner.userId ?? old.userId }
  await become(winner, ids, real ? [old] : [], resolution, { tx, now })
  return { contactId: winner.id, change: resolution.changes[0] }
}

/** The contact behind an identity, after whatever the identity tells about who is who. */
async function settle(
  identity: Identity,
  known: ContactIndex,
  resolution: Resolution,
  context: Context,
): Promise<ContactRow> {
  const found = known.find(identity)
  const [first] = found
  if (!first) throw new Error('bug: a contact that was just added is not there')
  const ids = { waId: identity.waId ?? first.waId, userId: identity.userId ?? first.userId }
  const others = found.slice(1)
  if (others.length === 0 && ids.waId === first.waId && ids.userId === first.userId) return first
  if (context.mode !== 'exclusive') throw new IdentityChanges()
  const contact = await become(first, ids, others, resolution, context)
  known.replace(contact, others)
  return contact
}

async function become(
  winner: ContactRow,
  ids: { waId: string | null; userId: string | null },
  losers: ContactRow[],
  resolution: Resolution,
  { tx, now }: Pick<Context, 'tx' | 'now'>,
): Promise<ContactRow> {
  // The losers give up their ids first: each id belongs to one contact.
  for (const loser of losers) await markMerged(tx, loser, winner.id, now)
  const contact = { ...winner, ...ids }
  await updateIds(tx, contact, now)
  const merged = losers.length > 0 ? losers.map((loser) => loser.id) : [undefined]
  for (const loserId of merged) {
    resolution.changes.push({ tenantId: winner.tenantId, winner: contact, loserId })
  }
  return contact
}

function isRenamed(contact: ContactRow, identity: Identity): boolean {
  return (
    (identity.name !== null && identity.name !== contact.name) ||
    (identity.username !== null && identity.username !== contact.username)
  )
}

/** One per key, in key order; the last name wins. */
function distinct(identities: Identity[]): Identity[] {
  const byKey = new Map<string, Identity>()
  for (const identity of identities) {
    const before = byKey.get(identityKey(identity))
    byKey.set(identityKey(identity), {
      ...identity,
      name: identity.name ?? before?.name ?? null,
      username: identity.username ?? before?.username ?? null,
    })
  }
  return [...byKey.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, identity]) => identity)
}

interface ContactIndex {
  /** Whoever has one of the identity's ids; who has the phone-number id comes first and stays when two become one. */
  find(identity: Identity): ContactRow[]
  replace(contact: ContactRow, gone: ContactRow[]): void
}

function index(rows: ContactRow[]): ContactIndex {
  const byPhone = new Map<string, ContactRow>()
  const byUser = new Map<string, ContactRow>()
  const add = (row: ContactRow) => {
    if (row.waId !== null) byPhone.set(`${row.tenantId} ${row.waId}`, row)
    if (row.userId !== null) byUser.set(`${row.tenantId} ${row.userId}`, row)
  }
  rows.forEach(add)
  return {
    find(identity) {
      const phone = byPhone.get(`${identity.tenantId} ${identity.waId}`)
      const user = byUser.get(`${identity.tenantId} ${identity.userId}`)
      return [...new Set([phone, user])].filter((row) => row !== undefined)
    },
    replace(contact, gone) {
      for (const row of gone) {
        byPhone.delete(`${row.tenantId} ${row.waId}`)
        byUser.delete(`${row.tenantId} ${row.userId}`)
      }
      add(contact)
    },
  }
}
