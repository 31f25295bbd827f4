// A page of conversations: what the query asks for, in the words of the database.
import type { z } from 'zod'
import type { conversationsQuery } from '../api/contract-conversations.ts'
import { decodeCursor } from '../api/paging.ts'
import type { Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import {
  type ConversationFilter,
  planAnew,
  type SearchPatterns,
  selectConversations,
  selectFoundConversations,
} from './list-queries.ts'
import type { ConversationRow } from './read-queries.ts'

/** One more than asked for, which says that there is a next page. */
export async function listConversations(
  tx: Tx,
  tenantId: string,
  query: z.output<typeof conversationsQuery>,
  personId: string | undefined,
): Promise<ConversationRow[]> {
  const filter = filterOf(query, personId)
  const after = decodeCursor(query.after)
  await planAnew(tx)
  if (query.q === undefined) {
    return selectConversations(tx, tenantId, filter, after, query.limit + 1)
  }
  const patterns = patternsOf(query.q)
  return selectFoundConversations(tx, tenantId, patterns, filter, after, query.limit + 1)
}

function filterOf(
  query: z.output<typeof conversationsQuery>,
  personId: string | undefined,
): ConversationFilter {
  const { assigned_user_id: assigned } = query
  if (assigned === 'me' && personId === undefined) {
    const problem = '“me” is for people who are signed in; a key is nobody'
    throw new AppError('INVALID_REQUEST', 400, `assigned_user_id: ${problem}`, {
      details: { fields: [{ field: 'assigned_user_id', problem }] },
    })
  }
  const named = assigned === undefined || assigned === 'none' ? null : assigned
  return {
    status: query.status ?? null,
    phoneNumberId: query.phone_number_id ?? null,
    assignedTo: named === 'me' ? (personId ?? null) : named && (uuidOf('usr', named) ?? named),
    isNobodys: assigned === 'none',
    isUnread: query.unread ?? null,
  }
}

export function patternsOf(asked: string): SearchPatterns {
  // A number as people write it: `+62 811-0000`. Fewer digits stand in every number.
  const digits = /^[\d\s()+.-]+$/.test(asked) ? asked.replace(/\D/g, '') : ''
  return {
    text: `%${asked.replace(/[\\%_]/g, '\\$&')}%`,
    digits: digits.length >= 3 ? `%${digits}%` : null,
  }
}
