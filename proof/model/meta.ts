// A simulated Meta: every kind of answer, as bytes that the product's own reader and table of outcomes make sense of.
import { classify, type Outcome } from '../../src/meta/outcomes.ts'
import { readSendAnswer, type SendAnswer } from '../../src/meta/send-answer.ts'

export interface AnswerKind {
  name: string
  /** Whether Meta has the message, whatever it says. */
  isAccepted: boolean
  /** Null: the usual acceptance. */
  answer: SendAnswer | null
  /** Of the product's own table. */
  outcome: Outcome | null
}

const epoch = new Date(0)

function refusal(
  statusCode: number,
  code: number,
  headers: Record<string, string> = {},
): SendAnswer {
  const body = Buffer.from(
    JSON.stringify({ error: { code, message: 'no', type: 'OAuthException' } }),
  )
  return readSendAnswer({ statusCode, headers, body }, epoch)
}

function page(statusCode: number, text: string): SendAnswer {
  return readSendAnswer({ statusCode, headers: {}, body: Buffer.from(text) }, epoch)
}

const silence = (bytesLeft: boolean): SendAnswer => ({
  kind: 'unreachable',
  code: bytesLeft ? 'TIMEOUT' : 'ECONNREFUSED',
  bytesLeft,
})

const accepting = (name: string, answer: SendAnswer | null) => ({ name, isAccepted: true, answer })
const refusing = (name: string, answer: SendAnswer) => ({ name, isAccepted: false, answer })

export const answerKinds: readonly AnswerKind[] = [
  accepting('accepted', null),
  accepting('accepted, answer lost', silence(true)),
  refusing('never arrived, no answer', silence(true)),
  refusing('not reached', silence(false)),
  accepting('accepted, a proxy says 502', page(502, '<html>Bad Gateway</html>')),
  accepting('accepted, answer torn', page(200, '{"messaging_product":"what')),
  refusing('a proxy says 504', page(504, '<html>Gateway Timeout</html>')),
  refusing('503', page(503, '')),
  refusing('131000', refusal(500, 131000)),
  refusing('429 with Retry-After', refusal(429, 130429, { 'retry-after': '7' })),
  refusing('number throttled', refusal(400, 131208)),
  refusing('WABA throttled', refusal(400, 80007, { 'retry-after': '40' })),
  refusing('app throttled', refusal(400, 4)),
  refusing('Flow throttled', refusal(400, 132069)),
  refusing('spam limit', refusal(400, 131048)),
  refusing('pair limit', refusal(400, 131056)),
  refusing('account in trouble', refusal(403, 131042)),
  refusing('no such template', refusal(404, 132001)),
  refusing('undeliverable', refusal(400, 131026)),
  refusing('window closed', refusal(400, 131047)),
  accepting('accepted, yet 131000', refusal(500, 131000)),
].map((kind) => ({ ...kind, outcome: kind.answer && classify(kind.answer) }))

const revoked = refusal(401, 190)
export const revokedKind: AnswerKind = {
  ...refusing('token revoked', revoked),
  outcome: classify(revoked),
}

export function acceptedAnswer(wamid: string): SendAnswer {
  return { kind: 'accepted', statusCode: 200, wamid, waId: null, userId: null, messageStatus: null }
}

/** Codes that a `failed` status names. */
export const failureCodes = [131026, 131047, 131042, 131048, 190, null] as const
