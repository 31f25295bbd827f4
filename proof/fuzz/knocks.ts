// Deliveries that are wrong at the door already: signatures, encodings, sizes, the handshake. Each with what it is answered.
import { signatureOf, testSecrets } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { Dice } from './dice.ts'
import { headerText } from './http.ts'
import type { GrammarCase } from './model.ts'
import { webhookBodies } from './samples.ts'

type Knock = (
  dice: Dice,
  name: string,
) => Pick<GrammarCase, 'body' | 'isSigned' | 'allowed'> & Partial<GrammarCase>

const message = (name: string) => {
  const wamid = `wamid.knock.${name}`
  const body = payload({ messages: [textMessage(wamid, 'let me in')] })
  return { wamid, body: Buffer.from(JSON.stringify(body)) }
}

const mutated = (text: string, dice: Dice) => {
  const bytes = Buffer.from(text)
  return headerText(mutatedBytes(bytes, bytes, dice))
}

const types = [
  ...['', 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
  ...['application/json; charset=utf-16', 'nonsense', ';;;', 'application/json, text/html'],
]
const encodings = ['gzip', 'br', 'identity', 'deflate, gzip', 'x']

/** Meta's question whether the address is ours, with anything changed. */
const handshake: Knock = (dice) => {
  const challenge = String(dice.below(2 ** 31))
  const right = { 'hub.mode': 'subscribe', 'hub.verify_token': testSecrets.META_VERIFY_TOKEN }
  const asked = new URLSearchParams({ ...right, 'hub.challenge': challenge }).toString()
  const isRight = dice.isOneIn(4)
  const bytes = Buffer.from(asked)
  const query = isRight ? asked : mutatedBytes(bytes, bytes, dice).toString('latin1')
  const safe = query.replace(/[^\x21-\x7e]|[#"<>\\^`{|}]/g, '%C3').slice(0, 8_000)
  return {
    method: 'GET',
    path: `/webhooks/whatsapp?${safe}`,
    body: Buffer.alloc(0),
    isSigned: false,
    allowed: isRight ? [200] : [200, 400, 403],
  }
}

export const knocks: Knock[] = [
  // Signed, then changed on the way.
  (dice, name) => {
    const { wamid, body } = message(name)
    const other = mutatedBytes(body, body, dice)
    const isSame = other.equals(body)
    const headers = { 'x-hub-signature-256': signatureOf(body) }
    const allowed = [isSame ? 200 : 401]
    return { body: other, headers, isSigned: false, allowed, refused: isSame ? [] : [wamid] }
  },
  // The signature changed.
  (dice, name) => {
    const { wamid, body } = message(name)
    const right = signatureOf(body)
    const header = mutated(right, dice)
    const headers = { 'x-hub-signature-256': header }
    const isRight = header === right
    const allowed = [isRight ? 200 : 401]
    return { body, headers, isSigned: false, allowed, refused: isRight ? [] : [wamid] }
  },
  // Another's secret, or none.
  (dice, name) => {
    const { wamid, body } = message(name)
    const headers: Record<string, string> = dice.isOneIn(2)
      ? { 'x-hub-signature-256': signatureOf(body, 'of-somebody-else') }
      : { 'x-hub-signature': signatureOf(body) }
    return { body, headers, isSigned: false, allowed: [401], refused: [wamid] }
  },
  (dice, name) => {
    const { wamid, body } = message(name)
    const headers = { 'content-encoding': dice.pick(encodings) }
    return { body, headers, isSigned: true, allowed: [415], refused: [wamid] }
  },
  // What its type says does not matter.
  (dice, name) => {
    const { wamid, body } = message(name)
    return {
      body,
      headers: { 'content-type': dice.pick(types) },
      isSigned: true,
      allowed: [200],
      good: [wamid],
    }
  },
  // Any bytes, signed.
  (dice) => {
    const body = mutatedBytes(dice.pick(webhookBodies), dice.pick(webhookBodies), dice)
    return { body, isSigned: true, allowed: [200] }
  },
  (dice, name) => {
    const { wamid, body } = message(name)
    if (!dice.isOneIn(50)) return { body, isSigned: true, allowed: [200], good: [wamid] }
    const large = Buffer.concat([body, Buffer.alloc(4 * 1024 * 1024, ' ')])
    return { body: large, isSigned: true, allowed: [413], refused: [wamid] }
  },
  handshake,
]
