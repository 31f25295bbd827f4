// A checker that cannot find anything is worth nothing: each finds what is planted for it, and nothing where all is well.
import { expect, test } from 'vitest'
import { checkEverything } from './check.ts'
import { isDenied } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import {
  accepted,
  attemptId,
  eventId,
  goodEvidence,
  nobodys,
  phoneNumberId,
  posted,
  status,
  step,
} from './good-evidence.ts'

test('nothing is found where all is well', () => {
  expect(checkEverything(goodEvidence())).toEqual([])
})

const outbound = ({ rows }: Evidence) => rows.messages[1] as Evidence['rows']['messages'][number]
const doubled = (evidence: Evidence) =>
  void evidence.ledger.sends.push(accepted('number 1', 'wamid.again'))

const planted: [string, (evidence: Evidence) => unknown, string][] = [
  [
    'a lost message',
    ({ rows }) => rows.messages.shift(),
    'I1: the acknowledged message wamid.in is lost',
  ],
  [
    'a good message that was buried',
    ({ rows }) => {
      rows.messages.shift()
      const buried = {
        id: 'dlq_2',
        kind: 'unroutable',
        state: 'open',
        eventId: 'w1',
        errorCode: 'X',
      }
      rows.letters.push({ ...buried, ...nobodys, messageId: null, raw: '{"id":"wamid.in"}' })
    },
    'I1: the acknowledged message wamid.in is a dead letter',
  ],
  [
    'a doubled message',
    ({ rows }) => rows.messages.push({ ...rows.messages[0] } as never),
    'is there twice',
  ],
  [
    'an invented message',
    ({ client }) => client.webhooks.pop(),
    'I2: nobody sent the message wamid.in',
  ],
  ['a lost send', ({ rows }) => rows.messages.pop(), 'was accepted and is lost'],
  [
    'a send that is two messages',
    ({ rows }) => rows.messages.push({ ...outbound({ rows } as Evidence), id: 'm2' }),
    'is 2 messages',
  ],
  [
    'a send through the wrong number',
    ({ ledger }) => Object.assign(ledger.sends[0] ?? {}, { phone_number_id: '77009' }),
    'went out through the wrong number as wamid.out',
  ],
  [
    'a send to the wrong person',
    ({ ledger }) => Object.assign(ledger.sends[0] ?? {}, { recipient: { input: '+16505550199' } }),
    'went to the wrong person as wamid.out',
  ],
  ['a send that never went out', ({ ledger }) => ledger.sends.pop(), 'but Meta never had it'],
  ['a send that went out twice', doubled, 'is at Meta 2 times, with 0 excuses'],
  [
    'a death that nobody is told of',
    (evidence) => Object.assign(outbound(evidence), { status: 'failed' }),
    'no dead letter tells of it',
  ],
  [
    'a foreign name',
    (evidence) => Object.assign(outbound(evidence), { wamid: 'wamid.other' }),
    'no message of ours has wamid.out',
  ],
  ['an attempt posted twice', ({ ledger }) => ledger.requests.push(posted()), 'was posted twice'],
  [
    'a call that names no attempt',
    ({ ledger }) => ledger.requests.push({ ...posted(), body: { text: { body: 'number 1' } } }),
    'the call request-1 names no attempt',
  ],
  [
    'a call that is counted twice',
    (evidence) => Object.assign(outbound(evidence), { attempts: 2 }),
    'the message m1 says 2 attempts, and 1 were made',
  ],
  [
    'a call that is not counted',
    (evidence) => Object.assign(outbound(evidence), { attempts: 0 }),
    'the message m1 says 0 attempts, and 1 were made',
  ],
  ['a call that no row announced', ({ rows }) => rows.attempts.pop(), 'no row announced the call'],
  [
    'a lost status',
    ({ rows }) => rows.steps.pop(),
    'the acknowledged status wamid.out sent is lost',
  ],
  [
    'a status that was undone',
    ({ rows }) => rows.steps.push(step('read')),
    'is sent, but was read',
  ],
  [
    'a step that nobody told of',
    (evidence) => Object.assign(outbound(evidence), { status: 'read' }),
    'is read, but was sent',
  ],
  [
    'a message that is given up although it has a name at Meta',
    ({ rows }) => {
      Object.assign(outbound({ rows } as Evidence), { status: 'unknown' })
      rows.steps.push(step('delivered'))
    },
    'is unknown, but was delivered',
  ],
  [
    'an event that nobody recorded',
    ({ rows }) => rows.events.shift(),
    'nobody is told of the message wamid.in',
  ],
  [
    'a message that is told as two events',
    ({ rows }) => rows.events.push({ ...rows.events[0], id: attemptId, position: '2' } as never),
    'is told as two events',
  ],
  [
    'a status that is not told',
    ({ rows }) => rows.events.splice(1, 1),
    'the message m1 is sent, and what was told last is queued',
  ],
  [
    'another status than the one that is told',
    ({ rows }) => Object.assign(rows.events[1] ?? {}, { status: 'failed' }),
    'the message m1 is sent, and what was told last is failed',
  ],
  [
    'a dead letter that is not told',
    ({ rows }) => Object.assign(rows.letters[0] ?? {}, { hasTenant: true }),
    'nobody is told of the dead letter dlq_1',
  ],
  [
    'an account that is not told',
    ({ rows }) => rows.events.pop(),
    'nobody is told of the account acc_1',
  ],
  [
    'events of two kinds out of their order',
    ({ client }) => client.events.reverse(),
    'those of l1 were heard out of their order',
  ],
  [
    'a message in a wrong conversation',
    ({ rows }) => Object.assign(rows.messages[0] ?? {}, { waId: '16505550199' }),
    'the message wamid.in is in a conversation with another',
  ],
  [
    'two texts that were swapped',
    ({ rows }) => Object.assign(rows.messages[0] ?? {}, { text: 'bye' }),
    'the message wamid.in does not say what was written',
  ],
  [
    'a send in a wrong conversation',
    (evidence) => Object.assign(outbound(evidence), { waId: '16505550199' }),
    'is in a conversation with another than its recipient',
  ],
  [
    'a step that is kept twice',
    ({ rows }) => rows.steps.push(step('sent')),
    'the status wamid.out sent is kept twice',
  ],
  [
    'an invented step that raised its message',
    (evidence) => {
      Object.assign(outbound(evidence), { status: 'read' })
      evidence.rows.steps.push(step('read'))
    },
    'nobody told of the status wamid.out read',
  ],
  [
    'an event that goes to nobody',
    ({ rows }) => rows.deliveries.pop(),
    'is on its way to nobody, though somebody wants it',
  ],
  ['an event that nobody heard', ({ client }) => client.events.pop(), 'was never heard'],
  [
    'a decision that is forgotten',
    ({ rows }) => Object.assign(rows.letters[0] ?? {}, { state: 'open' }),
    'was discarded, and now it is not',
  ],
  [
    'a decision without its audit',
    ({ rows }) => rows.decisions.pop(),
    'but the audit tells otherwise',
  ],
  [
    'a resolution that is forgotten',
    ({ client, rows }) => {
      Object.assign(client.decisions[0] ?? {}, { state: 'resolved' })
      Object.assign(rows.letters[0] ?? {}, { state: 'open' })
      Object.assign(rows.decisions[0] ?? {}, { action: 'dead_letter.resolved' })
    },
    'was resolved, and now it is not',
  ],
  [
    'a reopening of what was not resolved',
    ({ rows }) =>
      rows.decisions.unshift({
        letterId: 'dlq_1',
        action: 'dead_letter.reopened',
        isByPerson: true,
      }),
    'but the audit tells otherwise',
  ],
  [
    'a webhook under way',
    ({ rows }) => rows.webhooks.push({ id: 'w2', status: 'processing' }),
    'the webhook w2 is still processing',
  ],
  [
    'a send under way',
    ({ rows }) => rows.sends.push({ id: '2', messageId: 'm1', status: 'running', parentId: null }),
    'the send 2 is still running',
  ],
  [
    'a notification that was given up',
    ({ rows }) => rows.notifications.push({ id: 'n1', status: 'failed' }),
    'the notification n1 is still failed',
  ],
  [
    'a broken audit',
    ({ audit }) =>
      audit.broken.push({ chain: 'c', position: 1, problem: 'hash' as never, message: 'x' }),
    'the audit of c is broken',
  ],
  [
    'books that do not add up',
    ({ accounting }) =>
      accounting.differences.push({ kind: 'total', event_id: null, tenant_id: null, message: 'x' }),
    'accounting: x',
  ],
]

test.each(planted)('%s is found', (_name, plant, words) => {
  const evidence = goodEvidence()
  plant(evidence)

  expect(checkEverything(evidence).join('\n')).toContain(words)
})

test('a resolution may be undone, if the audit tells of it; what is decided then is decided', () => {
  const evidence = goodEvidence()
  const { client, rows } = evidence
  client.decisions.unshift({ letterId: 'dlq_1', state: 'resolved' })
  rows.decisions.unshift(
    { letterId: 'dlq_1', action: 'dead_letter.resolved', isByPerson: true },
    { letterId: 'dlq_1', action: 'dead_letter.reopened', isByPerson: true },
  )

  expect(checkEverything(evidence)).toEqual([])
})

test('what nobody knew of may be called sent by a person, and by nobody else', () => {
  const evidence = goodEvidence()
  const { ledger, rows } = evidence
  const { id } = Object.assign(outbound(evidence), { wamid: null, status: 'sent' })
  ledger.sends.pop()
  ledger.requests.pop()
  const decision = { letterId: 'dlq_9', action: 'dead_letter.resolved', isByPerson: true }
  rows.decisions.push(decision)
  rows.letters.push({
    ...{ id: 'dlq_9', kind: 'unknown', state: 'resolved', eventId: null, messageId: id },
    ...{ errorCode: 'SEND_UNKNOWN', raw: '', ...nobodys },
  })
  const found = () => checkEverything(evidence).filter((line) => line.includes('never had it'))

  expect(found()).toEqual([])
  decision.isByPerson = false
  expect(found()).toHaveLength(1)
})

test('what Meta gave up may be without a name, and nothing else', () => {
  const evidence = goodEvidence()
  Object.assign(outbound(evidence), { wamid: null })
  const found = () =>
    checkEverything(evidence).filter((line) => line.includes('no message of ours'))

  expect(found()).toHaveLength(1)
  evidence.ledger.deliveries.push(status('failed'))
  expect(found()).toEqual([])
})

test.each([
  ['answered', 500, true],
  ['answered', 503, true],
  ['answered', 502, false],
  ['answered', 200, false],
  ['answered', 429, false],
  ['cut', 500, false],
] as const)('Meta’s own word that it did not take it: %s with %i is %s', (outcome, status, is) => {
  const [request] = goodEvidence().ledger.requests
  expect(request && isDenied({ ...request, outcome, status })).toBe(is)
})

test('what was garbled on its way may be a dead letter', () => {
  const evidence = goodEvidence()
  const { ledger, rows } = evidence
  const item = { kind: 'message' as const, field: 'messages', phone_number_id: phoneNumberId }
  const garbled = { ...status('sent'), items: [{ ...item, wamid: 'wamid.bad', status: null }] }
  ledger.deliveries.push({ ...garbled, faults: ['malformed_1'] })
  const letter = { id: 'dlq_2', kind: 'malformed', state: 'open', eventId: 'w1', errorCode: 'X' }
  rows.letters.push({ ...letter, ...nobodys, messageId: null, raw: '{"id":"wamid.bad"' })

  expect(checkEverything(evidence)).toEqual([])
  ledger.deliveries.push(garbled)
  expect(checkEverything(evidence).join('\n')).toContain('wamid.bad is a dead letter')
})

test('a call may be uncounted where its sender died, and unseen where Meta turned it away; no more than that', () => {
  const evidence = goodEvidence()
  const { attempts } = evidence.rows
  const [heard] = attempts as [(typeof attempts)[number]]
  const unheard = { ...heard, outcome: 'unknown', statusCode: null }
  const says = (count: number) => {
    Object.assign(outbound(evidence), { attempts: count })
    return checkEverything(evidence).filter((line) => line.startsWith('I13'))
  }

  attempts.splice(0, 1, { ...unheard, isDead: true })
  expect([says(0), says(1)]).toEqual([[], []])
  expect(says(2)).toEqual([expect.stringContaining('0 to 1 were made')])

  attempts.splice(0, 1, heard, { ...unheard, id: eventId })
  expect([says(1), says(2)]).toEqual([[], []])
  expect(says(3)).toEqual([expect.stringContaining('1 to 2 were made')])

  attempts.splice(0, 2, heard, { ...unheard, id: eventId, outcome: 'not_posted' })
  expect(says(2)).toEqual([expect.stringContaining('1 were made')])
})

test('messages out of their order are found', () => {
  const evidence = goodEvidence()
  evidence.ledger.sends = [accepted('number 2', 'wamid.2'), accepted('number 1', 'wamid.out')]
  evidence.client.sends.push({
    text: 'number 2',
    phoneNumberId,
    to: '16505550101',
    isAccepted: true,
  })

  expect(checkEverything(evidence)).toContain('order: “number 1” reached Meta after “number 2”')
})

test('a double is excused where it may happen and an attempt was ambiguous, and only then', () => {
  const evidence = { ...goodEvidence(), mayDouble: true }
  doubled(evidence)
  expect(checkEverything(evidence).join('\n')).toContain('with 0 excuses')

  for (const attempt of evidence.rows.attempts) attempt.isDead = true
  expect(checkEverything(evidence)).toEqual([])
})
