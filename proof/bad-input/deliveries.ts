// What comes from Meta, or pretends to.
import { type BadInput, e2e } from './row.ts'

const door = e2e('only-meta-may-deliver')
const malformed = e2e('every-malformed-delivery-gets-its-answer')

export const deliveries: Record<string, BadInput[]> = {
  'Webhook handshake (GET)': [
    {
      id: 'handshake-right',
      input: 'the right mode and token; with a challenge that a browser could take for a page',
      answer: '200 and the bare challenge as text/plain; 400, echoing nothing',
      because: 'any plain text is echoed, not digits alone: what Meta sends is Meta’s to choose',
      tests: {
        [door]: [
          'with the right token is answered with the bare challenge, %s',
          'with %s is answered 400 and echoes nothing',
        ],
      },
    },
    {
      id: 'handshake-wrong',
      input: 'a wrong, missing, repeated or listed token; another mode',
      answer: '403; counted and logged',
      tests: {
        [door]: [
          'with %s is answered 403',
          'that was refused is counted and logged, without the token',
          'is refused when no token is configured, also with an empty one',
        ],
      },
    },
  ],
  'Webhook delivery (POST)': [
    {
      id: 'delivery-unsigned',
      input: 'a signature that is missing, malformed, in upper case, too short, twice, or SHA-1',
      answer: '401 before the body is read, where the header alone tells; nothing stored',
      tests: {
        [door]: [
          '%s: 401, and nothing is stored',
          'two signature headers, one of them right: 401',
          'what cannot be a signature is refused before the body comes',
        ],
      },
    },
    {
      id: 'delivery-other-bytes',
      input: 'a good signature over other bytes: re-written JSON, a byte order mark, escapes',
      answer: '401: the raw bytes are what is signed',
      tests: {
        [door]: [
          'one over the same JSON, written differently',
          'one over the same text, with a byte order mark',
          'one over the same text, escaped',
        ],
      },
    },
    {
      id: 'delivery-too-large',
      input: 'more than 4 MiB, announced or not',
      answer: '413 without being kept in memory; exactly 4 MiB is stored',
      tests: {
        [door]: [
          'exactly 4 MiB is stored and processed',
          'one byte more is refused by its content-length, before it is read',
          'one byte more is refused also when no length was announced',
        ],
      },
    },
    {
      id: 'delivery-lengths',
      input: 'chunks of no announced length; a length that lies; a length and chunks',
      answer: 'taken; 401, for it is not what was signed; 400',
      tests: {
        [door]: [
          'in chunks, of no announced length, is accepted',
          'a body that is longer than its announced length is not the one that was signed',
        ],
        'src/http.db.test.ts': [
          'a length and chunks, from whoever delivers webhooks',
          'is waited for no longer than half a minute, and said so',
        ],
      },
    },
    {
      id: 'delivery-compressed',
      input: 'a content encoding',
      answer: '415: nothing is unpacked before its signature is known to be good',
      tests: {
        [door]: [
          'with a content encoding is refused with 415: what was signed is not what would be stored',
        ],
      },
    },
    {
      id: 'delivery-not-whatsapp',
      input: 'signed, but not JSON, not an object, or about another product',
      answer: '200; a dead letter with the bytes; an alert when there are many',
      tests: {
        [malformed]: ['%s is acknowledged, kept and answered for'],
        [e2e('trouble-is-told-once-to-whom-it-concerns')]: ['11 dead letters of one tenant'],
      },
    },
    {
      id: 'delivery-unknown-kind',
      input: 'signed, with a field, a type or properties that nobody knows yet',
      answer: '200; stored, and shown as what it says it is',
      tests: {
        [e2e('every-fixture-lands')]: ['every fixture lands as the index says'],
        'src/meta/webhook.fuzz.test.ts': ['any JSON value in any place is read without a throw'],
      },
    },
    {
      id: 'delivery-nobodys',
      input: 'signed, for a number that nobody has; for a known number under another WABA',
      answer: '200 and a dead letter of nobody’s; 200 and applied, counted and logged',
      because: 'the number alone says whose it is, and a number can move between WABAs',
      tests: {
        [e2e('each-item-goes-to-its-owner')]: [
          'an unknown number is put aside with its own part only, and its neighbour is applied',
          'another WABA than the account has is counted and logged, and the message is applied',
        ],
      },
    },
    {
      id: 'delivery-empty-or-crowded',
      input: 'lists that are empty, missing, null, or of ten thousand',
      answer: '200; what is good in it is applied',
      tests: {
        [malformed]: ['%s is acknowledged, kept and answered for'],
        [e2e('each-item-goes-to-its-owner')]: [
          'a delivery of 3 MB with a thousand messages is acknowledged and processed whole',
          'ten thousand parts that hold nothing, or nothing good, hold up nothing beside them',
        ],
      },
    },
    {
      id: 'delivery-times',
      input: 'times in milliseconds, as numbers, zero, negative, of the year 9999',
      answer: '200; the time of its arrival stands in for one that cannot be true',
      tests: { [e2e('absurd-times-are-replaced')]: ['a message that says it was sent at'] },
    },
    {
      id: 'delivery-hostile-text',
      input: 'NUL, halves of surrogate pairs, right-to-left marks, 65,536 characters, deep nesting',
      answer: '200; the bytes are kept as they came, and what is shown is text',
      tests: {
        [malformed]: [
          'NUL and halves of surrogate pairs are readable in the API, and the bytes are kept',
          'a whole pair, right-to-left marks and a text of 65,536 characters come out as they went in',
          'five thousand levels of nesting put that message aside, and its neighbour goes through',
        ],
      },
    },
    {
      id: 'delivery-same-id',
      input: 'a known message id with other words; the same id at another tenant’s number',
      answer: '200 and no second effect; 200 and a message of its own',
      because:
        'a redelivery and a contradiction look alike, and ids are Meta’s: what was there first stays',
      tests: {
        [e2e('the-same-webhook-has-one-effect')]: [
          'with other words under the same id changes nothing: the first counts',
        ],
        [e2e('each-item-goes-to-its-owner')]: ['the same wamid for two tenants is two messages'],
      },
    },
    {
      id: 'delivery-no-database',
      input: 'anything, while the database is away',
      answer: '500 with Retry-After, nothing half-done; Meta sends it again',
      tests: {
        [e2e('postgres-away')]: [
          'webhooks get 500, the API 503, the process is alive but not ready; then all is well without a restart',
          'the answer to a commit is lost: 500, and the redelivery finds it stored',
        ],
      },
    },
  ],
}
