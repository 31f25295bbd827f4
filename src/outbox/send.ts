// Step 2 of sending: one claimed row → at most one POST to Meta → what came of it. Before: worker.ts. After: settle.ts.
// Everything that may have changed since acceptance is looked at again; no transaction is open here.

import { tokenOwner, type Vault } from '../accounts/vault.ts'
import { windowMs } from '../conversations/model.ts'
import type { Dedupe } from '../dedupe/dedupe.ts'
import type { MessageCode } from '../errors-messages.ts'
import type { PrepareContent } from '../media/prepare.ts'
import { packCallback } from '../meta/callback-data.ts'
import type { Graph } from '../meta/graph.ts'
import { classify, lostOutcome, type Outcome } from '../meta/outcomes.ts'
import { refusalOfStatus } from '../templates/sendable.ts'
import type { Clock } from '../time-and-chance.ts'
import type { Terms } from './decide.ts'
import { suppressedAdvice } from './end-suppressed.ts'
import { type ClaimedSend, numberHeld } from './model.ts'
import { evidenceWaitSeconds, type RetryPolicyName, retryPolicies } from './retry-policy.ts'
import type { SendContext } from './send-queries.ts'

export interface Sender {
  graph: Graph
  dedupe: Dedupe
  vault: Vault
  clock: Clock
  defaultPolicy: RetryPolicyName
  reconcileSeconds: number
  /** Hands the files that a message names over to Meta. */
  prepare: PrepareContent
}

export interface SendResult {
  send: ClaimedSend
  outcome: Outcome
  /** Whether Meta was asked. */
  isPosted: boolean
  /** Meta may have taken it before, and nothing told so in time. */
  isAgain?: boolean
  /** How Meta answered when it was to take a file of the message, where it did not: then nothing was posted. */
  calledBefore?: Outcome | null
  /** It must not be decided yet: to be looked at again after this, as if nothing had been tried. */
  postponedMs?: number
  /** With which token, by the time that was set; null when it was not looked up. */
  tokenSetAt?: string | null
  /** Who Meta says that the recipient is. */
  answeredWaId?: string | null
  /** On the monotonic clock: when it was taken up, and when its outcome was known. */
  takenMs: number
  endedMs: number
  /** Of the POST, where there was one. */
  durationMs: number
}

/**
 * Right before the POST its moment is waited for, and `isHeld` is asked: a worker that was taken for dead must not send
 * what another one may have.
 */
export async function sendOne(
  { graph, dedupe, vault, clock, defaultPolicy, reconcileSeconds, prepare }: Sender,
  send: ClaimedSend,
  context: SendContext,
  awaitTurn: () => Promise<boolean>,
  isHeld: () => boolean,
): Promise<SendResult | undefined> {
  const takenMs = clock.monotonicMs()
  let startedMs = takenMs
  const result = (outcome: Outcome, isPosted: boolean) => {
    const endedMs = clock.monotonicMs()
    const durationMs = endedMs - startedMs
    return { send, outcome, isPosted, tokenSetAt: context.tokenSetAt, takenMs, endedMs, durationMs }
  }
  const terms = { defaultPolicy, reconcileSeconds, now: clock.now() }
  const ended = endBeforePost(send, context, terms)
  if (ended) return { ...result(ended.outcome, false), ...ended }
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
  const number = { phoneNumberId: send.phoneNumberId, accessToken }
  // crash point: outbox.before-files
  const prepared = await prepare({ ...number, tenantId: send.tenantId }, content)
  if ('outcome' in prepared) {
    const refused = result(withoutToken(prepared.outcome, accessToken), false)
    return { ...refused, calledBefore: prepared.called }
  }
  const body = {
    ...prepared.content,
    biz_opaque_callback_data: packCallback(send.attemptId, send.callbackData),
  }
  const turned = await dedupe.postOnce(turnOf(send), async () => {
    if (!(await awaitTurn())) return { value: result(heldOutcome(), false), proof: null }
    if (!isHeld()) return { value: undefined, proof: null }
    startedMs = clock.monotonicMs()
    // crash point: outbox.before-post
    const answer = await graph.send(number, body)
    // crash point: outbox.after-post
    const outcome = withoutToken(classify(answer), accessToken)
    const answeredWaId = answer.kind === 'accepted' ? answer.waId : null
    const { wamid } = outcome
    const proof = wamid === null ? null : () => vault.seal(wamid, proofOwner(send))
    const isAgain = context.unknownForSeconds !== null
    return { value: { ...result(outcome, true), isAgain, answeredWaId }, proof }
  })
  if (turned.state === 'posted') {
    if (turned.value?.outcome.class === 'permanent') await prepared.onRefused()
    return turned.value
  }
  if (turned.state === 'sent') return result(provenOutcome(vault, send, turned.proof), false)
  return { ...result(laterOutcome(turned.state), false), postponedMs: turned.retryAfterMs }
}

/** What there is to say without asking Meta: it has the message, may have it, or there is no point; undefined: it is posted. Pure. */
export function endBeforePost(
  send: ClaimedSend,
  context: SendContext,
  { defaultPolicy, reconcileSeconds, now }: Omit<Terms, 'random'>,
): Pick<SendResult, 'outcome' | 'postponedMs'> | undefined {
  if (context.acceptedAs !== null) return { outcome: acceptedOutcome(context.acceptedAs) }
  const policy = send.retryPolicy ?? defaultPolicy
  const waitSeconds = evidenceWaitSeconds(policy, send.attempts, reconcileSeconds)
  const postponedMs = Math.max(
    missingWaitMs(context, waitSeconds),
    troubleWaitMs(send, context, { waitSeconds, reconcileSeconds }),
  )
  if (postponedMs > 0) return { outcome: inboxBehindOutcome(), postponedMs }
  const { maxAttempts } = retryPolicies[policy]
  // The wait for evidence is over, and there is none.
  if (isSpent(send, context, maxAttempts)) return { outcome: lostOutcome() }
  const refusal = refusalOf(send, context, now)
  return refusal && { outcome: refusal }
}

/** The message's own id too: rows are numbered, and a restored database numbers others the same. */
function turnOf(send: ClaimedSend) {
  return {
    name: JSON.stringify([send.tenantId, send.messageId, send.id]),
    attempt: send.attemptId,
  }
}

function proofOwner({ tenantId, messageId, id }: ClaimedSend): string {
  return `${tenantId}/dedupe/wamid/${messageId}/${id}`
}

/** An earlier attempt died between Meta's answer and our commit. What cannot be read is at Meta all the same. */
function provenOutcome(vault: Vault, send: ClaimedSend, proof: string): Outcome {
  try {
    return acceptedOutcome(vault.open(proof, proofOwner(send)))
  } catch {
    return lostOutcome()
  }
}

function laterOutcome(state: 'pending' | 'unavailable'): Outcome {
  return state === 'pending'
    ? ours(
        'not_sent',
        'SEND_UNDER_WAY',
        'Another attempt at it is under way, or was until it died.',
      )
    : ours(
        'not_sent',
        'DEDUPE_UNAVAILABLE',
        'The dedupe store does not answer: nothing is sent until it does.',
      )
}

/** Meta may have it, and it must not be asked again. */
function isSpent(
  send: ClaimedSend,
  { unknownForSeconds }: SendContext,
  maxAttempts: number,
): boolean {
  const mayBeSent = unknownForSeconds !== null
  return send.attempts >= maxAttempts || (mayBeSent && send.delivery === 'at_most_once')
}

/**
 * Meta said that it did not take it, and is trusted after the policy's delay; but not while what tells otherwise may lie here
 * unread, for a while. What must not be doubled is doubted as long as a lost answer, counted while webhooks are read.
 */
function troubleWaitMs(
  { delivery }: ClaimedSend,
  { troubledForSeconds, steadyForSeconds }: SendContext,
  { waitSeconds, reconcileSeconds }: { waitSeconds: number; reconcileSeconds: number },
): number {
  if (troubledForSeconds === null) return 0
  const isOnce = delivery === 'at_most_once'
  if (steadyForSeconds === null)
    return isOnce || troubledForSeconds < longestDoubtSeconds ? waitSeconds * 1000 : 0
  const missing = reconcileSeconds - Math.min(troubledForSeconds, steadyForSeconds)
  return isOnce && missing > 0 ? Math.ceil(missing) * 1000 : 0
}

/** An inbox that does not get on must not keep what Meta has denied for ever. */
const longestDoubtSeconds = 600

/**
 * That nothing has told of an ambiguous attempt means something only while webhooks come in and are processed: time in
 * which they were not is waited for again. 0 when there is nothing to wait for.
 */
export function missingWaitMs(
  {
    unknownForSeconds,
    steadyForSeconds,
  }: Pick<SendContext, 'unknownForSeconds' | 'steadyForSeconds'>,
  waitSeconds: number,
): number {
  if (unknownForSeconds === null) return 0
  if (steadyForSeconds === null) return waitSeconds * 1000
  // Without a break since that attempt ended: then the row's own time has been waited for.
  if (steadyForSeconds >= unknownForSeconds) return 0
  return Math.max(0, Math.ceil((waitSeconds - steadyForSeconds) * 1000))
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

export const inboxBehind = 'INBOX_BEHIND'

function inboxBehindOutcome(): Outcome {
  return ours(
    'not_sent',
    inboxBehind,
    'Meta may have it. Before it is sent again, our own webhooks must have had the time to tell.',
  )
}

/** Something of ours is in the way, before Meta was asked. */
export function unsentOutcome(): Outcome {
  return ours('not_sent', 'NOT_SENT', 'It could not be looked up; it is tried again by itself.')
}

/** The weather changed between its claim and its POST. */
export function heldOutcome(): Outcome {
  return ours(
    'not_sent',
    numberHeld,
    'Its number was held meanwhile; it is sent when that is over.',
  )
}

/** Why there is no point in asking Meta. */
function refusalOf(send: ClaimedSend, context: SendContext, now: Date): Outcome | undefined {
  if (context.accountId === null) {
    return ours('permanent', 'ACCOUNT_NOT_FOUND', 'The number is no longer connected.')
  }
  if (isUnwanted(send, context, now)) {
    // A status may yet tell that an earlier attempt arrived: then nobody should take it for unsent.
    const kind = context.unknownForSeconds !== null ? 'unknown' : 'recipient'
    return ours(kind, 'RECIPIENT_SUPPRESSED', suppressedAdvice)
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
  return templateRefusalOf(send, context, now)
}

/** What Meta made of the template since it was accepted; one that the mirror does not know is Meta's to judge. */
function templateRefusalOf(
  send: ClaimedSend,
  context: SendContext,
  now: Date,
): Outcome | undefined {
  const { templateStatus: status, isTemplateGone: isGone } = context
  const isTemplate = send.payload.type === 'template' || isOutsideWindow(send, context, now)
  if (!isTemplate || status === null) return undefined
  const refusal = refusalOfStatus({ status, isGone })
  return refusal && ours('permanent', refusal.code, refusal.advice)
}

/** Asked of the database after the claim: an opt-out that was committed by then is heeded, whoever holds the row. */
function isUnwanted(send: ClaimedSend, context: SendContext, now: Date): boolean {
  if (context.suppressedScope === null) return false
  if (context.suppressedScope === 'everything') return true
  return isOutsideWindow(send, context, now) && send.fallbackTemplate !== null
    ? context.isFallbackMarketing === true
    : context.isMarketing === true
}

function isOutsideWindow(send: ClaimedSend, { lastInboundAt }: SendContext, now: Date): boolean {
  if (send.payload.type === 'template') return false
  return lastInboundAt === null || lastInboundAt.getTime() + windowMs <= now.getTime()
}

function ours(
  kind: 'permanent' | 'auth' | 'not_sent' | 'recipient' | 'unknown',
  errorCode: MessageCode,
  advice: string,
): Outcome {
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
