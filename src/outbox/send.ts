// Step 2 of sending: one claimed row → at most one POST to Meta → what came of it. Before: worker.ts. After: settle.ts.
// Everything that may have changed since acceptance is looked at again; no transaction is open here.
import { tokenOwner, type Vault } from '../accounts/vault.ts'
import { windowMs } from '../conversations/model.ts'
import { packCallback } from '../meta/callback-data.ts'
import type { Graph } from '../meta/graph.ts'
import { classify, lostOutcome, type Outcome } from '../meta/outcomes.ts'
import type { Clock } from '../time-and-chance.ts'
import type { ClaimedSend } from './model.ts'
import { type RetryPolicyName, retryPolicies } from './retry-policy.ts'
import type { SendContext } from './send-queries.ts'

export interface Sender {
  graph: Graph
  vault: Vault
  clock: Clock
  defaultPolicy: RetryPolicyName
}

export interface SendResult {
  send: ClaimedSend
  outcome: Outcome
  /** Whether Meta was asked. */
  isPosted: boolean
  durationMs: number
}

/** `isHeld` is asked right before the POST: a worker that was taken for dead must not send what another one may have. */
export async function sendOne(
  { graph, vault, clock, defaultPolicy }: Sender,
  send: ClaimedSend,
  context: SendContext,
  isHeld: () => boolean,
): Promise<SendResult | undefined> {
  const startedMs = clock.monotonicMs()
  const result = (outcome: Outcome, isPosted: boolean) => ({
    send,
    outcome,
    isPosted,
    durationMs: clock.monotonicMs() - startedMs,
  })
  if (context.acceptedAs !== null) {
    return result(acceptedOutcome(context.acceptedAs), false)
  }
  const { maxAttempts } = retryPolicies[send.retryPolicy ?? defaultPolicy]
  // Only a worker that died leaves a row in this state: whoever is there to hear the outcome ends it.
  if (isSpent(send, context, maxAttempts)) return result(lostOutcome(), false)
  const refusal = refusalOf(send, context, clock.now())
  if (refusal) return result(refusal, false)
  const accessToken = openToken(vault, send, context)
  if (accessToken === undefined) {
    return result(
      ours(
        'not_sent',
        'TOKEN_UNREADABLE',
        'The access token cannot be decrypted: look at ENCRYPTION_KEYS.',
      ),
      false,
    )
  }
  const content = isOutsideWindow(send, context, clock.now())
    ? (send.fallbackTemplate ?? send.payload)
    : send.payload
  const body = {
    ...content,
    biz_opaque_callback_data: packCallback(send.attemptId, send.callbackData),
  }
  if (!isHeld()) return undefined
  const answer = await graph.send({ phoneNumberId: send.phoneNumberId, accessToken }, body)
  return result(withoutToken(classify(answer), accessToken), true)
}

/** Meta may have it, and it must not be asked again. */
function isSpent(send: ClaimedSend, { mayBeSent }: SendContext, maxAttempts: number): boolean {
  return send.attempts >= maxAttempts || (mayBeSent && send.delivery === 'at_most_once')
}

/** Undefined when none of our keys opens it, which nobody but the operator can change. */
function openToken(vault: Vault, send: ClaimedSend, context: SendContext): string | undefined {
  if (context.sealedToken === null || context.accountId === null) {
    throw new Error('bug: a send without an account')
  }
  try {
    return vault.open(context.sealedToken, tokenOwner(send.tenantId, context.accountId))
  } catch {
    return undefined
  }
}

/** Meta repeats a token that it cannot read ("Malformed access token …"), and its words are stored and shown. */
function withoutToken(outcome: Outcome, accessToken: string): Outcome {
  const { provider } = outcome
  if (!provider?.message?.includes(accessToken)) return outcome
  const message = provider.message.replaceAll(accessToken, '…')
  return { ...outcome, provider: { ...provider, message } }
}

/** A status told so. */
export function acceptedOutcome(wamid: string): Outcome {
  return classify({
    kind: 'accepted',
    statusCode: 200,
    wamid,
    waId: null,
    userId: null,
    messageStatus: null,
  })
}

/** Something of ours is in the way, before Meta was asked. */
export function unsentOutcome(): Outcome {
  return ours('not_sent', 'NOT_SENT', 'It could not be looked up; it is tried again by itself.')
}

/** Why there is no point in asking Meta. */
function refusalOf(send: ClaimedSend, context: SendContext, now: Date): Outcome | undefined {
  if (context.accountId === null) {
    return ours('permanent', 'ACCOUNT_NOT_FOUND', 'The number is no longer connected.')
  }
  if (context.authStatus === 'needs_reauth') {
    return ours('auth', 'TOKEN_INVALID', 'The account waits to be reconnected.')
  }
  if (send.expiresAt !== null && send.expiresAt <= now) {
    return ours('permanent', 'EXPIRED', 'It could not be sent before its expires_at.')
  }
  if (isOutsideWindow(send, context, now) && send.fallbackTemplate === null) {
    return ours(
      'permanent',
      'WINDOW_CLOSED',
      'The 24 hours after the contact’s last message are over: send a template.',
    )
  }
  return undefined
}

function isOutsideWindow(send: ClaimedSend, { lastInboundAt }: SendContext, now: Date): boolean {
  if (send.payload.type === 'template') return false
  return lastInboundAt === null || lastInboundAt.getTime() + windowMs <= now.getTime()
}

function ours(kind: 'permanent' | 'auth' | 'not_sent', errorCode: string, advice: string): Outcome {
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
