// People as they are shown.
import { publicId } from '../ids.ts'
import type { MadeLink } from './links.ts'
import type { ListedPersonRow, PersonRow } from './model.ts'

export function showPerson(row: PersonRow) {
  return {
    id: publicId('usr', row.id),
    tenant_id: row.tenant_id,
    email: row.email,
    name: row.name,
    role: row.role,
    status: row.disabled_at
      ? ('disabled' as const)
      : row.password_changed_at
        ? ('active' as const)
        : ('invited' as const),
    created_at: row.created_at.toISOString(),
  }
}

export function showListed(row: ListedPersonRow) {
  return { ...showPerson(row), last_seen_at: row.last_seen_at?.toISOString() ?? null }
}

/** In the fragment, which browsers send to nobody: it is in no log on the way. */
export function showLink({ purpose, token, expiresAt }: MadeLink, base: string) {
  return {
    purpose,
    url: `${base}/console/welcome#${token}`,
    expires_at: expiresAt.toISOString(),
  }
}
