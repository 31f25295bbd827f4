// What a caller of the Graph API gets to see of a fault.
import type { FastifyReply } from 'fastify'
import { makeTraceId } from '../identifiers.ts'
import type { Struck } from './engine.ts'
import { type ErrorWish, graphAnswer } from './error-catalogue.ts'
import type { FaultName, RuleOf } from './rules.ts'

export const errorPage =
  '<!DOCTYPE html><html><head><title>Facebook | Error</title></head>' +
  '<body><h1>Sorry, something went wrong.</h1></body></html>'

const tokenTroubles: Record<RuleOf<'token'>['state'], Omit<ErrorWish, 'code'>> = {
  revoked: { title: 'Invalid OAuth access token - Cannot parse access token' },
  expired: { subcode: 463, title: 'Error validating access token: Session has expired.' },
  password_changed: {
    subcode: 460,
    title:
      'Error validating access token: The session has been invalidated because the user changed ' +
      'their password or Facebook has changed the session for security reasons.',
  },
  app_removed: {
    subcode: 458,
    title: 'Error validating access token: The user has not authorized application.',
  },
  logged_out: {
    subcode: 467,
    title: 'Error validating access token: The session is invalid because the user logged out.',
  },
}

export interface FaultAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Undefined for what is done to the connection instead. */
export function answerOf(
  { rule, dice }: Struck<FaultName>,
  wabaId: string | null,
): FaultAnswer | undefined {
  const json = (wish: ErrorWish, headers: Record<string, string> = {}): FaultAnswer => {
    const { status, body } = graphAnswer(wish, makeTraceId(dice))
    return {
      status,
      headers: { 'content-type': 'application/json; charset=UTF-8', ...headers },
      body: JSON.stringify(body),
    }
  }
  switch (rule.fault) {
    case 'throttle':
      return json(rule, throttleHeaders(rule, wabaId))
    case 'error': {
      const answer = json(rule)
      if (rule.body === 'html') return page(answer.status)
      return rule.body === 'empty' ? empty(answer.status) : answer
    }
    case 'html':
      return page(rule.http_status)
    case 'outage':
      return rule.how === 'unavailable' ? page(503) : undefined
    case 'token':
      return json({ code: 190, ...tokenTroubles[rule.state] })
    case 'pair_limit':
      return json({ code: 131056 })
    case 'throughput_limit':
      return json({ code: 130429 })
    default:
      return undefined
  }
}

function page(status: number): FaultAnswer {
  return { status, headers: { 'content-type': 'text/html; charset="utf-8"' }, body: errorPage }
}

function empty(status: number): FaultAnswer {
  return { status, headers: { 'content-type': 'text/plain' }, body: '' }
}

/** What Meta adds where a limit belongs to the app or the account. */
function throttleHeaders(
  { code, retry_after_seconds }: RuleOf<'throttle'>,
  wabaId: string | null,
): Record<string, string> {
  const usage = { call_count: 100, total_cputime: 24, total_time: 31 }
  const type = 'whatsapp_business_management'
  const regain = { estimated_time_to_regain_access: Math.ceil((retry_after_seconds ?? 60) / 60) }
  return {
    ...(retry_after_seconds === undefined ? {} : { 'retry-after': String(retry_after_seconds) }),
    ...(code === 4 ? { 'x-app-usage': JSON.stringify(usage) } : {}),
    ...(code === 80007 || code === 80008
      ? {
          'x-business-use-case-usage': JSON.stringify({
            [wabaId ?? '0']: [{ type, ...usage, ...regain }],
          }),
        }
      : {}),
  }
}

export function give(reply: FastifyReply, { status, headers, body }: FaultAnswer): FastifyReply {
  return reply.code(status).headers(headers).send(body)
}
