// POST /{phone-number-id}/messages and /marketing_messages: sends, read receipts, typing.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AcceptedSend } from '../ledger.ts'
import { refusal } from '../whatsapp-errors.ts'
import { type Access, accessNumber, type NumberAccess } from './access.ts'
import { foresee } from './foresee.ts'
import type { Graph } from './graph.ts'
import { paramsOf } from './request-body.ts'
import { type MessageRequest, readSendRequest } from './send-request.ts'
import { judgeTemplate, type SendingEdge } from './template-message.ts'
import { versioned } from './versions.ts'

interface NumberRoute {
  Params: { version: string; phoneNumberId: string }
}

export function mountMessages(app: FastifyInstance, graph: Graph): void {
  for (const edge of ['messages', 'marketing_messages'] as const) {
    app.post<NumberRoute>(`${versioned}/:phoneNumberId/${edge}`, async (request) =>
      send(graph, request, request.params.phoneNumberId, edge),
    )
  }
}

function send(graph: Graph, request: FastifyRequest, phoneNumberId: string, edge: SendingEdge) {
  const access = graph.access()
  const sender = accessNumber(access, request, phoneNumberId, 'whatsapp_business_messaging')
  checkStanding(sender)
  const { number } = sender
  const lookup = { media: access.business.media, number }
  const message = readSendRequest(withoutToken(request), lookup)
  if (message.kind === 'read') {
    graph.simulation.markRead(number, message)
    return { success: true }
  }
  checkRecipient(access, sender, message)
  return acceptedAnswer(accept(graph, sender, message, edge))
}

/** What a form or query carries besides the message is not part of it. */
function withoutToken(request: FastifyRequest): unknown {
  const { access_token: _token, appsecret_proof: _proof, ...message } = paramsOf(request)
  return message
}

/** A number or account in trouble is told before the message is looked at. */
function checkStanding({ profile, account }: NumberAccess): void {
  if (profile.status === 'DELETED') throw refusal(33)
  if (!profile.registered) throw refusal(133010)
  if (account.standing === 'locked' || profile.status === 'BANNED') throw refusal(131031)
  if (account.standing === 'restricted' || profile.status === 'RESTRICTED') throw refusal(368)
  if (account.standing === 'maintenance') throw refusal(131057)
}

function checkRecipient(
  { business }: Access,
  { profile }: NumberAccess,
  { recipient, body }: MessageRequest,
): void {
  const allowed = profile.allowed_recipients?.map((each) => each.replace(/\D/g, ''))
  if (allowed && !allowed.includes(recipient.wa_id ?? '')) throw refusal(131030)
  const { identity_key_hash } = business.recipients.profile(
    recipient.wa_id ?? recipient.user_id ?? recipient.input,
  )
  const named = body.recipient_identity_key_hash
  if (named !== undefined && identity_key_hash !== null && named !== identity_key_hash) {
    throw refusal(137000)
  }
}

function accept(
  graph: Graph,
  { number, account }: NumberAccess,
  request: MessageRequest,
  edge: SendingEdge,
): AcceptedSend {
  const { business, clock } = graph.access()
  const lookup = { media: business.media, number }
  if (edge === 'marketing_messages' && request.type !== 'template') throw refusal(134100)
  const verdict =
    request.type === 'template'
      ? judgeTemplate(request, { business, account, lookup, edge, clock })
      : undefined
  const template = verdict?.template
  const error = foresee({
    business,
    presence: graph.simulation.presence(),
    number,
    account,
    request,
    template,
    hasUsableMedia: request.hasUsableMedia && verdict?.hasUsableMedia !== false,
  })
  return graph.simulation.acceptSend(number, request, {
    ...(error === undefined ? {} : { outcome: { status: 'failed' as const, error } }),
    ...(template === undefined
      ? {}
      : {
          message_status: template.pacing === null ? 'accepted' : 'held_for_quality_assessment',
          category:
            edge === 'marketing_messages' ? 'marketing_lite' : template.category.toLowerCase(),
        }),
  })
}

function acceptedAnswer({ wamid, recipient, message_status }: AcceptedSend) {
  return {
    messaging_product: 'whatsapp',
    contacts: [recipient],
    messages: [{ id: wamid, ...(message_status === undefined ? {} : { message_status }) }],
  }
}
