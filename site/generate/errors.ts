// docs/errors.md: every code of ours and what Meta's mean, from the tables that the program itself uses.
import { deliveryCodes, fileCodes, inboundCodes, messageCodes } from '../../src/errors-messages.ts'
import type { ErrorRow } from '../../src/errors-row.ts'
import { errorGroups } from '../../src/errors-table.ts'
import {
  failedWithoutReasonRow,
  lostAnswerRow,
  notSentRow,
  statusRows,
} from '../../src/meta/outcome-fallbacks.ts'
import type { CodeRow, OutcomeClass, StatusRow } from '../../src/meta/outcome-row.ts'
import { codeRows } from '../../src/meta/outcome-table.ts'
import { code, page, printedNote, table } from './table.ts'

export function errorsMarkdown(): string {
  return page(
    '# Errors',
    '',
    'Every code that this gateway can answer with or put on a message, and what it makes of Meta’s own.',
    printedNote,
    '',
    '## The form of an error',
    '',
    'Every refusal and every failure has the same body. `code` is stable: compare that, not the message. The same',
    '`request_id` is in the header `X-Request-Id` and in the log. What Meta said stands apart, in `details.provider`.',
    '',
    '```json',
    '{',
    '  "error": {',
    '    "code": "INVALID_MESSAGE",',
    '    "message": "to: must begin with the country code, not with a zero",',
    '    "details": { "fields": [{ "field": "to", "problem": "must begin with the country code, not with a zero" }] },',
    '    "request_id": "5b0c2f1e-6a57-4c1e-9c1f-0d6a1c3e8b11"',
    '  }',
    '}',
    '```',
    '',
    '“Again” says whether the very same request may succeed later: after a moment, or after as many seconds as `Retry-After` says;',
    'send messages with an `Idempotency-Key`, and a repeat is harmless.',
    '',
    ...Object.entries(errorGroups).flatMap(([name, group]) => answers(name, group)),
    ...ofMessages(),
    ...ofMeta(),
  )
}

function answers(name: string, group: Record<string, ErrorRow>): string[] {
  const rows = Object.entries(group).map(([error, { status, again, meaning, remedy }]) => [
    code(error),
    [status].flat().join(', '),
    meaning,
    remedy,
    again === 'no' ? 'no' : again === 'later' ? 'yes' : '`Retry-After`',
  ])
  return [
    `## ${name}`,
    '',
    ...table(['code', 'status', 'meaning', 'what to do', 'again'], rows),
    '',
  ]
}

function ofMessages(): string[] {
  const rowsOf = (codes: Record<string, { meaning: string; next: string }>) =>
    table(
      ['code', 'meaning', 'what follows'],
      Object.entries(codes).map(([name, { meaning, next }]) => [code(name), meaning, next]),
    )
  return [
    '## On messages and dead letters',
    '',
    '`error.code` of a message and `error_code` of its dead letter and attempts: one of these, or one of Meta’s below.',
    '',
    ...rowsOf(messageCodes),
    '',
    'On dead letters of what came in; those of kind `inbound` carry the code of the failure itself, such as `PG_23514`:',
    '',
    ...rowsOf(inboundCodes),
    '',
    '### On files',
    '',
    'Why a file that a contact sent is not here yet, or never will be; else one of Meta’s below:',
    '',
    ...rowsOf(fileCodes),
    '',
    '### On deliveries',
    '',
    'Why an event or an alert did not reach its endpoint or channel; else the HTTP status or the system’s own code:',
    '',
    ...rowsOf(deliveryCodes),
    '',
  ]
}

/** What each class means for the message. */
const actions: Record<Exclude<OutcomeClass, 'accepted'>, string> = {
  not_sent: 'Nothing left us: tried again by the retry policy.',
  transient:
    'Meta has trouble: tried again by the retry policy once our webhooks are read, then a dead letter.',
  unknown:
    'Meta may have it: waits for a status that proves it, then tried again (`at_least_once`) or put before a person (`at_most_once`, dead letter of kind `unknown`).',
  rate_limited: 'The number, account or app waits and slows down; then it goes on by itself.',
  spam_limited: 'The number waits for hours; then it goes on by itself.',
  pair_limited: 'Messages to this one contact wait; then they go on by themselves.',
  auth: 'The account needs to be reconnected; its messages are parked in order and go out afterwards.',
  account:
    'A dead letter; the number rests for an hour. The business repairs it at Meta, then requeue.',
  recipient: 'A dead letter: this contact cannot be written to.',
  permanent: 'A dead letter: the message as it is will never be taken.',
}

function ofMeta(): string[] {
  return [
    '## Meta’s codes',
    '',
    'What Meta answers to a send is put into a class, and the class decides what happens. Meta’s own code, subcode and words',
    'are kept beside ours, in `provider`. The scope says who else waits: everybody of the app, of the WhatsApp Business',
    'Account (`waba`), of the number, of this contact (`pair`), or nobody but the message.',
    '',
    '### Classes',
    '',
    ...table(
      ['class', 'what happens'],
      Object.entries(actions).map(([name, action]) => [code(name), action]),
    ),
    '',
    '### By code',
    '',
    ...table(
      ['Meta’s code', 'our code', 'class', 'scope', 'what to do'],
      codeRows.map((row) => [
        spans(row.codes) + (row.subcodes ? ` with subcode ${spans(row.subcodes)}` : ''),
        ...outcome(row),
      ]),
    ),
    '',
    '### Without a code that we know',
    '',
    'The HTTP status decides. A code that is new to us and marked as transient, or comes with a 5xx, is `META_TROUBLE`.',
    '',
    ...table(
      ['seen', 'our code', 'class', 'scope', 'what to do'],
      [
        ...statusRows.map((row) => [`HTTP ${spans(row.statuses)}`, ...outcome(row)]),
        ['no connection', ...outcome(notSentRow)],
        ['no answer, or one that cannot be read', ...outcome(lostAnswerRow)],
        ['a status `failed` without a reason', ...outcome(failedWithoutReasonRow)],
      ],
    ),
  ]
}

const outcome = ({ name, class: kind, scope, advice }: Omit<CodeRow, 'codes'>) => [
  code(name),
  code(kind),
  code(scope),
  advice,
]

function spans(list: StatusRow['statuses']): string {
  return list.map((span) => (typeof span === 'number' ? span : span.join('–'))).join(', ')
}
