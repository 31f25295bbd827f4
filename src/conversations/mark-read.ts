// Reading a conversation: nothing in it is unread here, and the contact sees it as read. Meta is called after the
// commit; what it answers changes nothing here, and whoever calls again marks the same message again.
import { tokenOfNumber } from '../accounts/token.ts'
import type { Vault } from '../accounts/vault.ts'
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Graph, GraphAnswer } from '../meta/graph.ts'
import type { ProviderError } from '../meta/send-answer.ts'
import type { Clock } from '../time-and-chance.ts'
import { holdConversation } from './find.ts'
import { selectLatestReadable, updateConversation } from './read-queries.ts'

export interface Reader {
  db: Db
  clock: Clock
  log: Log
  vault: Vault
  graph: Graph
}

interface ReadFailure {
  code: string
  message: string
  provider: ProviderError | null
}

export async function markConversationRead(
  reader: Reader,
  tenantId: string,
  publicConversationId: string,
) {
  const { db, clock, vault } = reader
  const { conversation, latest, token } = await db.tenantTransaction(tenantId, async (tx) => {
    const row = await holdConversation(tx, tenantId, publicConversationId)
    if (row.unread_count > 0) {
      await updateConversation(tx, tenantId, { ...row, unread_count: 0 }, clock.now())
    }
    return {
      conversation: row,
      latest: await selectLatestReadable(tx, tenantId, row.id),
      token: await tokenOfNumber(tx, vault, tenantId, row.phone_number_id),
    }
  })
  const read = { id: publicId('conv', conversation.id), unread_count: 0 as const }
  if (!latest) return { ...read, meta: 'nothing_to_mark' as const, message_id: null, error: null }
  const message_id = publicId('msg', latest.id)
  const failed = (error: ReadFailure) => ({ ...read, meta: 'failed' as const, message_id, error })
  if (!token) {
    return failed(failure('ACCOUNT_NOT_FOUND', 'The number is no longer connected.'))
  }
  if (token.authStatus === 'needs_reauth') {
    return failed(failure('WHATSAPP_REAUTH_REQUIRED', 'The account must be reconnected first.'))
  }
  const number = {
    phoneNumberId: conversation.phone_number_id,
    accessToken: token.accessToken,
  }
  const startedMs = clock.monotonicMs()
  const answer = await reader.graph.markRead(number, latest.wamid)
  reader.log[answer.kind === 'accepted' ? 'info' : 'warn']('message_marked_read', {
    direction: 'outbound',
    tenant_id: tenantId,
    conversation_id: read.id,
    message_id,
    wamid: latest.wamid,
    phone_number_id: number.phoneNumberId,
    duration_ms: Math.round(clock.monotonicMs() - startedMs),
    ...answerFields(answer),
  })
  if (answer.kind === 'accepted') {
    return { ...read, meta: 'marked' as const, message_id, error: null }
  }
  return failed(
    answer.kind === 'refused'
      ? failure('PROVIDER_REFUSED', 'Meta refused to mark it as read.', answer.provider)
      : failure('PROVIDER_UNREACHABLE', `Meta could not be reached (${answer.code}).`),
  )
}

function failure(
  code: string,
  message: string,
  provider: ProviderError | null = null,
): ReadFailure {
  return { code, message, provider }
}

function answerFields(answer: GraphAnswer) {
  if (answer.kind === 'unreachable') return { error_code: answer.code }
  if (answer.kind === 'accepted') return { statusCode: answer.statusCode }
  return {
    statusCode: answer.statusCode,
    provider_code: answer.provider.code,
    error_message: answer.provider.message,
  }
}
