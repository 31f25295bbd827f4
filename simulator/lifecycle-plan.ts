// Which statuses an accepted send will get: the usual ladder, unless a fault or a failure decides
// otherwise.
import type { FaultEngine } from './faults/engine.ts'
import { statusFailure } from './faults/error-catalogue.ts'
import type { Opportunity } from './faults/selectors.ts'
import type { AcceptedSend } from './ledger.ts'
import type { BusinessNumber } from './numbers.ts'
import type { StatusError } from './status-error.ts'
import { userIdOf } from './webhooks/identity.ts'
import { statusLadder } from './webhooks/payloads.ts'

export interface Rung {
  status: string
  error?: StatusError
}

export interface LadderPlan {
  /** Reported before the caller has its answer. */
  early: Rung[]
  rungs: Rung[]
  /** The user id that stands for a person whose phone number is not shown. */
  hiddenAs: string | undefined
}

export interface PlanOptions {
  faults: FaultEngine
  number: BusinessNumber
  send: AcceptedSend
  isBlocked: boolean
}

export function planLadder(options: PlanOptions): LadderPlan {
  const { faults, number, send } = options
  const { phone_number_id, waba_id } = number
  const { wa_id, user_id, input } = send.recipient
  const chance: Opportunity = {
    phone_number_id,
    waba_id,
    recipient: wa_id ?? user_id ?? input,
    endpoint: 'messages',
    template: templateName(send),
  }
  const context = { wamid: send.wamid }
  const rungs = outcomeOf(options, chance)
  const skipped = faults
    .strikes('skip_status', chance, context)
    .flatMap(({ rule }) => rule.statuses as string[])
  const early = faults.strike(['early_status'], chance, context)?.rule.statuses as
    | string[]
    | undefined
  const isHidden = wa_id !== undefined && faults.strike(['bsuid_only'], chance, context)
  const wanted = rungs.filter(({ status }) => !skipped.includes(status))
  return {
    early: wanted.filter(({ status }) => early?.includes(status)),
    rungs: wanted.filter(({ status }) => !early?.includes(status)),
    hiddenAs: isHidden ? (user_id ?? userIdOf(wa_id, waba_id)) : undefined,
  }
}

function outcomeOf({ faults, send, isBlocked }: PlanOptions, chance: Opportunity): Rung[] {
  if (send.outcome !== undefined) return [send.outcome]
  const context = { wamid: send.wamid }
  const ladder = usualLadder(send)
  const failed = faults.strike(['fail'], chance, context)
  if (failed) {
    const { rule } = failed
    return [...upTo(ladder, rule.after), { status: 'failed', error: statusFailure(rule) }]
  }
  const stuck = faults.strike(['stuck'], chance, context)
  if (stuck) return upTo(ladder, stuck.rule.after)
  // What a blocked business hears is that the message could not be delivered, and not why.
  if (isBlocked) return [{ status: 'failed', error: statusFailure({ code: 131026 }) }]
  return ladder
}

function usualLadder({ type, request }: AcceptedSend): Rung[] {
  const audio = request.audio
  const isVoice =
    type === 'audio' &&
    typeof audio === 'object' &&
    audio !== null &&
    'voice' in audio &&
    audio.voice === true
  return [...statusLadder, ...(isVoice ? ['played'] : [])].map((status) => ({ status }))
}

function upTo(ladder: Rung[], last: 'accepted' | 'sent' | 'delivered'): Rung[] {
  return ladder.slice(0, ladder.findIndex(({ status }) => status === last) + 1)
}

function templateName({ request }: AcceptedSend): string | null {
  const { template } = request
  return typeof template === 'object' && template !== null && 'name' in template
    ? String(template.name)
    : null
}
