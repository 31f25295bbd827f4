// The nouns of this folder.

export interface ContactRow {
  id: string
  tenantId: string
  kind: 'person' | 'group'
  waId: string | null
  userId: string | null
  name: string | null
  username: string | null
}

/** How Meta names somebody in one payload: by phone-number id, by user id, or by both. */
export interface Identity {
  tenantId: string
  kind: 'person' | 'group'
  waId: string | null
  userId: string | null
  name: string | null
  username: string | null
}
