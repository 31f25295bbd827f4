// What comes from sign-ups, tasks, files and addresses.
import { type BadInput, e2e } from './row.ts'

const strangers = e2e('strangers-are-turned-away')
const signup = e2e('a-sign-up-is-refused-by-name')
const tasks = e2e('cloud-tasks-calls-for-each-row')

export const others: Record<string, BadInput[]> = {
  'Sign-up (OAuth)': [
    {
      id: 'signup-state',
      input: 'no state, a forged, foreign, expired or used one; a used code; `error=`; two tabs',
      answer: '400 with a code of its own, audited, nothing written',
      tests: {
        [signup]: [
          'a forged state',
          'an expired state',
          'a state of another tenant, which stays good for that one',
          'a state that was used, also of two tabs at once',
          'a code that was used',
          'a person who did not agree; the same link can be tried again',
        ],
      },
    },
    {
      id: 'signup-grant',
      input: 'a code of another app; a token without its scopes; a WABA or number it is not for',
      answer: '400, audited; ids from a browser are believed when Meta confirms them',
      tests: {
        [signup]: [
          'a code of another app, and one that is none',
          'no permission for %s',
          'an account that the token is not for, whatever the browser says',
          'a number of another account',
        ],
      },
    },
    {
      id: 'signup-taken',
      input: 'a number that another tenant has',
      answer: '409; never moved; both are told, and neither who the other is',
      tests: {
        [signup]: [
          'a number of another tenant: never moved, nothing done at Meta, and both are told',
        ],
        'src/alerts/rules.db.test.ts': [
          'number_claimed_twice: told to both, of whom neither learns who the other is',
        ],
      },
    },
  ],
  'Internal tasks': [
    {
      id: 'task-token',
      input: 'no token, a wrong or former one, one in the address, an operator’s key, forwarded',
      answer: '401, also where none is configured',
      because: 'they share the listener, as platforms that call them by one address need it',
      tests: {
        [tasks]: ['of /internal/%s opens with any of the tokens, and with nothing else'],
        [strangers]: ['a task with a wrong token', 'the tasks’ token as a key'],
        'src/tasks/admit.test.ts': ['is good for nothing where none is set'],
      },
    },
    {
      id: 'task-again',
      input: 'the same task twice, at once, too late, or of what is not there',
      answer: '200 and no second effect',
      because: 'a task for what is gone is done: anything else would be called for again',
      tests: {
        [tasks]: [
          'is called for, and leaves once, though its task is delivered twice at once',
          'that is unknown, or in hand, is answered 200 and called for again',
          'runs everything periodic, also twice at once, and counts',
        ],
      },
    },
  ],
  'Files and addresses': [
    {
      id: 'file-address',
      input:
        'a tenant’s URL: other schemes, private and metadata addresses in any spelling, a user name, odd ports, names that change, redirects, answers without end',
      answer: '400 naming the field; no connection; judged at every connection; cut off',
      because:
        'links in messages are fetched by Meta, never by us: ours are those of endpoints and alerts',
      tests: {
        [e2e('events-leave-for-the-public-internet-only')]: [
          'an endpoint is not made of',
          'to a name that was fine a moment ago: each connection is judged on its own',
          'twice: a redirect is a failure, wherever it leads',
          'that never ends is not read to its end',
          'that drips is not waited for',
        ],
        'src/net/guarded-agent.test.ts': [
          'is not made to an address of this machine, however it is written',
          'is made to what was judged: a name that changes its mind is asked once',
        ],
      },
    },
    {
      id: 'file-host',
      input: 'a file’s URL on a host that is not Meta’s; a redirect on the way',
      answer: 'neither a call nor the token',
      tests: {
        [e2e('files-come-from-meta-alone')]: [
          '%s gets neither a call nor the token',
          'a redirect is not followed, and takes the token nowhere',
        ],
      },
    },
    {
      id: 'file-content',
      input: 'a type that lies, SVG, HTML, a program, a name that leads elsewhere',
      answer: '400 for uploads; what customers sent is given as bytes to keep, never to run',
      because: 'nothing is unpacked or rewritten: a file may be evidence',
      tests: {
        [e2e('a-file-is-uploaded-and-given-back')]: [
          '%s is refused by name, and leaves nothing',
          'a file comes back as it was, as an attachment and nothing that runs',
        ],
        [e2e('the-files-of-messages-are-fetched')]: [
          'of a name that was meant for another folder gets a harmless one',
          'whose type is a lie, or HTML, is served as bytes to keep',
        ],
        'src/media/filename.test.ts': [
          'has no path, nothing invisible, nothing with a meaning, and a length',
        ],
      },
    },
    {
      id: 'file-expired',
      input: 'a file that Meta no longer keeps',
      answer: '410 MEDIA_EXPIRED',
      tests: {
        [e2e('the-files-of-messages-are-fetched')]: [
          'is expired after three such answers, and 410 from then on',
          'because its seven days are over is not asked for',
        ],
      },
    },
  ],
}
