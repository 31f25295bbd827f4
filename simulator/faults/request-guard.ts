// Stands before and behind every Graph endpoint: writes each call into the ledger and lets faults
// strike it. The endpoints themselves know of neither.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphRequest } from '../ledger.ts'
import { fractionOf } from '../time-and-chance.ts'
import type { Traffic } from '../traffic.ts'
import { answerOf, errorPage, give } from './answers.ts'
import type { Struck } from './engine.ts'
import { readBody, readPath } from './graph-call.ts'
import type { Refund } from './limits.ts'
import type { FaultName, FaultRule } from './rules.ts'
import type { Opportunity } from './selectors.ts'

interface Call {
  /** The world that the call came into; a reset must not mix it into the next one. */
  traffic: Traffic
  record: GraphRequest
  chance: Opportunity
  refunds: Refund[]
  /** A fault gave the answer, or spoilt it. */
  isStruck: boolean
  /** Accepted, and the caller gets no whole answer. */
  isCut: boolean
  answeredAt: Date | null
}

const never = () => new Promise<never>(() => {})

export function guardGraphApi(app: FastifyInstance, traffic: () => Traffic): void {
  const calls = new WeakMap<object, Call>()

  app.addHook('onRequest', async (request, reply) => {
    const call = openCall(traffic(), request, reply)
    calls.set(request.raw, call)
    // Before the body is read: only rules that need not know what is in it.
    const struck = strike(call, ['refuse', 'outage'], (rule) => !looksInside(rule))
    return struck ? refuseOrAnswer(call, struck, request, reply) : undefined
  })

  app.addHook('preHandler', async (request, reply) => {
    const call = calls.get(request.raw)
    if (call === undefined) return
    const { endpoint, recipient, template, shown } = readBody(call.record.endpoint, request.body)
    Object.assign(call.record, { endpoint, recipient, body: shown })
    Object.assign(call.chance, { endpoint, recipient, template })
    await slowDown(call, 'before_accepting')
    pauseTemplate(call)
    const struck = overLimit(call) ?? refusal(call)
    return struck ? refuseOrAnswer(call, struck, request, reply) : undefined
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const call = calls.get(request.raw)
    if (call === undefined) return payload
    const answer = call.isStruck ? payload : await answerTo(call, request, reply, payload)
    call.answeredAt = call.traffic.clock.now()
    return answer
  })
}

async function answerTo(
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  if (reply.statusCode >= 300) {
    for (const refund of call.refunds) refund()
    return payload
  }
  const wamid = acceptedWamid(payload)
  call.record.wamid = wamid
  if (wamid !== null) await call.traffic.lifecycle.beforeAnswer(wamid)
  await slowDown(call, 'after_accepting')
  return spoilAnswer(call, request, reply, payload)
}

function openCall(traffic: Traffic, request: FastifyRequest, reply: FastifyReply): Call {
  const { clock, ledger, numbers } = traffic
  const called = readPath(request.url, numbers)
  const record = ledger.openRequest({
    method: request.method,
    ...called,
    recipient: null,
    arrived_at: clock.now().toISOString(),
    body: null,
  })
  const { endpoint, phone_number_id, waba_id } = called
  const call: Call = {
    traffic,
    record,
    chance: { phone_number_id, waba_id, recipient: null, endpoint },
    refunds: [],
    isStruck: false,
    isCut: false,
    answeredAt: null,
  }
  reply.raw.once('close', () => {
    const isWhole = reply.raw.writableFinished && !call.isCut
    if (isWhole) record.answered_at = (call.answeredAt ?? clock.now()).toISOString()
    if (reply.raw.headersSent) record.status = reply.raw.statusCode
    record.outcome = isWhole ? 'answered' : 'cut'
    ledger.closeRequest(record)
  })
  return call
}

function strike<Name extends FaultName>(
  call: Call,
  names: readonly Name[],
  only?: (rule: Extract<FaultRule, { fault: Name }>) => boolean,
): Struck<Name> | undefined {
  const { traffic, chance, record } = call
  const struck = traffic.faults.strike(
    names,
    chance,
    { request_id: record.id, wamid: record.wamid },
    only,
  )
  if (struck) record.faults.push(struck.id)
  return struck
}

function looksInside({ match }: FaultRule): boolean {
  return match.recipient !== undefined || match.template !== undefined
}

/** First come, first served among everything that keeps a call from being accepted. */
function refusal(call: Call): Struck<FaultName> | undefined {
  return strike(
    call,
    ['throttle', 'error', 'html', 'token', 'outage', 'refuse', 'hang', 'reset'],
    (rule) => {
      // Those without a look inside had their turn before the body was read.
      if (rule.fault === 'refuse' || rule.fault === 'outage') return looksInside(rule)
      return !('when' in rule) || rule.when === 'before_accepting'
    },
  )
}

async function slowDown(call: Call, when: 'before_accepting' | 'after_accepting'): Promise<void> {
  const { traffic, chance, record } = call
  const struck = traffic.faults.strikes(
    'slow',
    chance,
    { request_id: record.id, wamid: record.wamid },
    (rule) => rule.when === when,
  )
  let delayMs = 0
  for (const { id, rule, dice } of struck) {
    record.faults.push(id)
    delayMs += rule.delay + fractionOf(dice) * rule.spread
  }
  if (delayMs > 0) await traffic.background.wait(Math.round(delayMs))
}

/** The endpoint then finds the template paused and refuses by itself. */
function pauseTemplate(call: Call): void {
  const { traffic, chance, record } = call
  const { template, waba_id } = chance
  if (typeof template !== 'string' || waba_id === null) return
  const { pauses, faults } = traffic
  const struck = faults.strikeIf('template_pause', chance, { request_id: record.id }, () =>
    pauses.isSendable(waba_id, template),
  )
  if (struck === undefined) return
  record.faults.push(struck.id)
  pauses.begin(waba_id, template, struck.rule.lasts)
}

function overLimit(call: Call): Struck<FaultName> | undefined {
  const { traffic, chance, record } = call
  const { phone_number_id, recipient, endpoint } = chance
  if (endpoint !== 'messages' && endpoint !== 'marketing_messages') return undefined
  if (phone_number_id === null || recipient === null) return undefined
  const { faults, limits } = traffic
  const context = { request_id: record.id }
  const isOver = (refund: Refund | undefined): boolean => {
    if (refund !== undefined) call.refunds.push(refund)
    return refund === undefined
  }
  const struck =
    faults.strikeIf('pair_limit', chance, context, ({ id, rule }) =>
      isOver(limits.takePair(`${id} ${phone_number_id} ${recipient}`, rule.every, rule.burst)),
    ) ??
    faults.strikeIf('throughput_limit', chance, context, ({ rule }) =>
      isOver(limits.takeThroughput(phone_number_id, rule.per_second)),
    )
  if (struck) record.faults.push(struck.id)
  return struck
}

/** Ends the call before an endpoint has seen it. */
function refuseOrAnswer(
  call: Call,
  struck: Struck<FaultName>,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  call.isStruck = true
  for (const refund of call.refunds) refund()
  const answer = answerOf(struck, call.chance.waba_id)
  if (answer !== undefined) return give(reply, answer)
  reply.hijack()
  const { rule } = struck
  const hangs = rule.fault === 'hang' || (rule.fault === 'outage' && rule.how === 'hang')
  if (rule.fault === 'reset') request.raw.socket.resetAndDestroy()
  else if (!hangs) request.raw.socket.destroy()
  return reply
}

/** The call was accepted and counts; what the caller hears of it is another matter. */
async function spoilAnswer(
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  const struck = strike(
    call,
    ['hang', 'reset', 'truncate', 'html', 'error'],
    (rule) => !('when' in rule) || rule.when === 'after_accepting',
  )
  if (struck === undefined) return payload
  call.isStruck = true
  const { rule } = struck
  call.isCut = rule.fault !== 'html' && rule.fault !== 'error'
  switch (rule.fault) {
    case 'hang':
      return never()
    case 'reset':
      request.raw.socket.resetAndDestroy()
      return never()
    case 'truncate':
      return truncate(reply, bytesOf(payload), rule.keep, rule.connection)
    case 'html':
    case 'error': {
      const { status, headers, body } = answerOf(struck, call.chance.waba_id) ?? {
        status: 502,
        headers: {},
        body: errorPage,
      }
      reply.code(status).headers(headers).removeHeader('content-length')
      return body
    }
  }
}

function truncate(
  reply: FastifyReply,
  whole: Buffer,
  keep: number,
  connection: 'cut' | 'kept',
): Promise<never> | Buffer {
  const part = whole.subarray(0, Math.floor(whole.length * keep))
  if (connection === 'kept') {
    reply.removeHeader('content-length')
    return part
  }
  const { raw } = reply
  raw.writeHead(reply.statusCode, {
    'content-type': String(reply.getHeader('content-type') ?? 'application/json; charset=UTF-8'),
    'content-length': whole.length,
  })
  // Nothing to write would never call back, so then the headers go alone.
  if (part.length === 0) {
    raw.flushHeaders()
    raw.socket?.end()
  } else raw.write(part, () => raw.socket?.destroy())
  return never()
}

function bytesOf(payload: unknown): Buffer {
  if (Buffer.isBuffer(payload)) return payload
  return Buffer.from(typeof payload === 'string' ? payload : '')
}

function acceptedWamid(payload: unknown): string | null {
  if (typeof payload !== 'string' || !payload.includes('"messages"')) return null
  try {
    const id: unknown = JSON.parse(payload)?.messages?.[0]?.id
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}
