// What comes from programs and from the console.
import { type BadInput, e2e } from './row.ts'

const apart = e2e('tenants-are-kept-apart')
const strangers = e2e('strangers-are-turned-away')
const byName = e2e('bad-input-is-refused-by-name')
const people = e2e('people-sign-in')
const refused = 'is refused where it must be, with a good request, and nothing comes of it'

export const calls: Record<string, BadInput[]> = {
  Sending: [
    {
      id: 'send-key',
      input: 'no key, an unknown or revoked one, one of another installation',
      answer: 'one and the same 401; keys are compared as digests',
      tests: {
        'src/tenants/keys.db.test.ts': [
          'nobody, in every way of being nobody, gets one and the same 401',
        ],
        [strangers]: [refused],
      },
    },
    {
      id: 'send-body',
      input: 'over 256 kB; not JSON; another type; a field that nobody knows',
      answer: '413; 400; 415; 400 with the name of the field',
      tests: {
        [byName]: [
          'must not be over 256 kB',
          'must be JSON',
          'must be declared as JSON',
          'must have no field that nobody knows',
        ],
      },
    },
    {
      id: 'send-recipient',
      input: 'not a phone number, digits that are none, a group’s id; the sender’s own number',
      answer: '400 naming `to`; accepted, and ended as a dead letter with Meta’s code',
      tests: {
        'src/outbox/message.test.ts': ['%j is refused: %s', '%j is none'],
        'src/meta/outcomes.test.ts': ['err-131021-self'],
      },
    },
    {
      id: 'send-foreign-number',
      input: 'the number of another tenant',
      answer: '404, as for a number that is not there',
      tests: { [apart]: ['%s answers another’s %s as one that is not there'] },
    },
    {
      id: 'send-idempotency',
      input: 'an Idempotency-Key: none, too long, again, with another body, at the same time',
      answer: '202; 400; the first answer; 422; one message and one answer for all',
      tests: {
        [e2e('a-message-is-sent-once')]: [
          'has 1 to 255 characters',
          'gives the first answer again, and one message',
          'is refused for another body',
        ],
        [apart]: ['an Idempotency-Key of one tenant means nothing to another'],
      },
    },
    {
      id: 'send-rules',
      input: 'a template with wrong parameters; to somebody who opted out; after the 24 hours',
      answer: '422; 409 RECIPIENT_SUPPRESSED; 422 WINDOW_CLOSED; nothing is queued',
      tests: {
        [e2e('a-template-is-checked-before-it-is-sent')]: [
          'the body has 2 parameters ({{1}}, {{2}}), and 1 are given',
        ],
        [e2e('an-opt-out-is-heeded')]: [
          'marketing templates are refused and ended; everything else goes on',
        ],
        [e2e('the-window-is-checked-twice')]: [
          'a stranger and a silent contact get templates only',
        ],
      },
    },
    {
      id: 'send-flood',
      input: 'more calls than a key may make; more messages than a tenant may have waiting',
      answer: '429 with Retry-After, for this caller alone',
      tests: {
        'src/api/rate-limit.db.test.ts': [
          'a key that calls too often is answered 429 with Retry-After, and others are not',
        ],
        [e2e('a-full-backlog-is-refused')]: ['holds up nobody else, not even in the same moment'],
      },
    },
    {
      id: 'send-callback-data',
      input: 'callback data of the tenant’s own, too long, or made to look like ours',
      answer: 'up to 400 characters, wrapped in ours and given back; 400; a text like any other',
      tests: {
        'src/outbox/message.test.ts': [
          'are the tenant’s own, or what carries them',
          '%s %j is refused',
        ],
        'src/meta/callback-data.test.ts': ['est:6f9619ff-8b86-4d01-b42d-00cf4fc964ff'],
      },
    },
  ],
  'API and console': [
    {
      id: 'api-foreign-ids',
      input: 'another tenant’s ids in the path, the body, a filter, a search, a cursor, a header',
      answer: 'as if they were not there: 404, or nothing found',
      because:
        'a cursor is a place, not a permission: whatever is in it, the query sees its caller’s rows only',
      tests: {
        [apart]: [
          'answers another tenant as if it were not there',
          'does not take what is somebody else’s below what is one’s own',
          '%s answers another’s %s as one that is not there',
          '%s finds nothing of another',
          'shows nothing of another, whatever is asked for and from wherever on',
          '%s goes on from another’s cursor with one’s own',
          'the stream knows no event of another, not even where it was',
          'whatever others do, a tenant reads what it would read alone',
        ],
      },
    },
    {
      id: 'api-forged',
      input:
        'no token of the page’s own, or another’s; another origin; another method named; plain text',
      answer: '403; 403; 403; 415',
      tests: {
        [strangers]: [
          'an admin’s page without its token',
          'an admin’s page with another’s token',
          'another page with an admin’s cookie',
        ],
        [people]: ['is not enough to change something: the page’s own token and origin are needed'],
        [byName]: ['must be declared as JSON'],
      },
    },
    {
      id: 'api-session',
      input: 'a session that is idle, old, ended, or was planted before signing in',
      answer: '401; a new one with every sign-in',
      tests: {
        [people]: [
          'ends by idleness, by age, by signing out, and everywhere at once',
          'is a new one with every sign-in, whatever cookie was there before',
        ],
        [strangers]: ['an ended session', 'an idle session', 'a session of long ago'],
      },
    },
    {
      id: 'api-role',
      input:
        'a role that is too low, at every route; a decision on more dead letters than one call takes',
      answer: '403 and nothing changed; a thousand a call, and how many remain',
      because: 'there are no legal holds yet, over which a decision could go',
      tests: {
        [strangers]: [refused, 'are those that are written down, and those of its own roles'],
        'src/dead-letters/routes.db.test.ts': [
          'at most 1000 a call; the rest are told, and come with the next',
        ],
      },
    },
    {
      id: 'api-stored-markup',
      input: 'markup in names, messages, templates, what Meta says',
      answer: 'shown as text; the page runs nothing but its own files',
      because: 'nothing is exported as a table, so there are no cells that could hold a formula',
      tests: {
        'test/console/every-message-is-shown.test.ts': [
          'what people write is text, whatever they write',
        ],
        'test/console/a-failed-message-is-put-right.test.ts': [
          'what others wrote is text, wherever it is shown',
        ],
        'src/ops/console.db.test.ts': [
          'lets nothing in but what comes from here, and is kept by nobody',
        ],
      },
    },
  ],
}
