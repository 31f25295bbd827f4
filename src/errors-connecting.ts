// Error codes about connecting numbers, about tenants and people, and about what Meta and Cloud Tasks call.
import { type ErrorRow, later, never, whenTold } from './errors-row.ts'

const again = 'Start the sign-up again.'

const signup = {
  NUMBER_TAKEN: never(
    409,
    'The number is connected, here or at another tenant.',
    'Disconnect it there first.',
  ),
  SIGNUP_NOT_CONFIGURED: never(
    503,
    'The gateway has no Meta app to sign up with; `details` names the missing settings.',
    'The operator sets them.',
  ),
  STATE_MISSING: never(400, 'The address was opened without a sign-up.', again),
  STATE_INVALID: never(400, 'Nobody started this sign-up here.', again),
  STATE_EXPIRED: never(400, 'It was started more than 10 minutes ago.', again),
  STATE_USED: never(400, 'It was finished, or tried, before.', again),
  STATE_FOREIGN: never(400, 'Somebody else started it.', 'Start one of your own.'),
  CODE_MISSING: never(400, 'Meta gave no code.', again),
  CODE_EXPIRED: never(400, 'Meta’s code lives 30 seconds, and they had passed.', again),
  CODE_USED: never(400, 'Meta’s code was used before.', again),
  CODE_INVALID: never(400, 'Meta does not know the code, or made it for another app.', again),
  SIGNUP_DENIED: never(400, 'The person cancelled at Meta.', 'Go through it once more and agree.'),
  APP_REFUSED: never(
    502,
    'Meta does not accept the gateway’s app.',
    'The operator looks at `META_APP_ID` and `META_APP_SECRET`.',
  ),
  APP_MISMATCH: never(400, 'The access was given to another app.', again),
  TOKEN_INVALID: never(400, 'Meta’s access token is not valid.', again),
  SCOPES_MISSING: never(
    400,
    'Not all permissions were given.',
    'Start again and leave every permission switched on.',
  ),
  WABA_NOT_GRANTED: never(
    400,
    'The access does not include this WhatsApp Business Account.',
    'Start again and choose it.',
  ),
  NUMBER_NOT_GRANTED: never(400, 'The number is not one of the account that was chosen.', again),
  NUMBER_MISSING: never(
    400,
    'The WhatsApp Business Account has no number yet.',
    'Add one in WhatsApp Manager, then start again.',
  ),
  NUMBER_CHOICE_NEEDED: never(
    400,
    'The account has several numbers, and none was named.',
    'Start again and use the pop-up window.',
  ),
  NUMBER_UNVERIFIED: never(
    400,
    'The number is not verified yet.',
    'Enter Meta’s code for it in WhatsApp Manager, then start again.',
  ),
  ACCOUNT_MISMATCH: never(
    400,
    'Another number was chosen than the one to be reconnected.',
    'Start again and choose that one.',
  ),
  PIN_UNKNOWN: never(
    400,
    'The number has a two-step verification PIN that is not known here.',
    'Turn two-step verification off in WhatsApp Manager, then start again.',
  ),
  REGISTER_LIMITED: later(
    409,
    'Meta does not let the number be registered again so soon.',
    'Wait as long as Meta says, then start again.',
  ),
  REGISTER_FAILED: later(502, 'Meta did not register the number.', again),
  SUBSCRIBE_FAILED: later(502, 'Meta does not deliver the account’s messages to us yet.', again),
  META_REFUSED: later(502, 'Meta refused a step of the connection; see `details.provider`.', again),
  META_UNREACHABLE: later(502, 'Meta did not answer.', 'Wait a moment, then start again.'),
} as const satisfies Record<string, ErrorRow>

const people = {
  SLUG_TAKEN: never(409, 'Another tenant has this `slug`.', 'Choose another.'),
  KEY_NOT_FOUND: never(404, 'There is no such key, or it is revoked already.', 'List the keys.'),
  PERSON_NOT_FOUND: never(404, 'There is no such person.', 'Check the id, `usr_…`.'),
  PERSON_DISABLED: never(409, 'The person is shut out.', 'Let them in first.'),
  EMAIL_TAKEN: never(409, 'Somebody has this e-mail address already.', 'Use another.'),
  OWN_ACCOUNT: never(
    409,
    'Nobody changes their own role or shuts themselves out.',
    'Somebody else must.',
  ),
  LINK_INVALID: never(
    410,
    'The link to set a password was used, replaced, or is too old.',
    'Ask for a new one.',
  ),
  SIGN_IN_FAILED: never(401, 'The e-mail address or the password is wrong.', 'Try another.'),
  SIGN_IN_LOCKED: whenTold(
    429,
    'Too many wrong passwords for this address.',
    'Wait for `Retry-After`.',
  ),
  BUSY: whenTold(503, 'Too many people sign in at once.', 'Try again in a moment.'),
  CSRF_TOKEN_WRONG: never(
    403,
    'The page’s token is missing or old. Only browsers with a session are asked for one.',
    'Load the page again; programs use a key.',
  ),
  WRONG_ORIGIN: never(
    403,
    'The call comes from another page than the console’s own.',
    'Set `PUBLIC_URL` behind a proxy; programs use a key.',
  ),
  CONSOLE_NOT_BUILT: never(404, 'The console is not built here.', 'Run `npm run build`.'),
  DOCUMENTS_NOT_BUILT: never(404, 'The documents are not built here.', 'Run `npm run build`.'),
} as const satisfies Record<string, ErrorRow>

/** Meta's calls, and those of Cloud Tasks. */
const called = {
  INVALID_SIGNATURE: never(
    401,
    'The signature of a webhook is missing or wrong. Nothing is stored.',
    'Compare `META_APP_SECRET` with the app’s; during a rotation list both.',
  ),
  VERIFICATION_FAILED: never(
    403,
    'A handshake with a wrong `hub.verify_token` or mode.',
    'Compare `META_VERIFY_TOKEN` with what the App Dashboard has.',
  ),
  UNSUPPORTED_ENCODING: never(415, 'A webhook with a compressed body.', 'Meta sends none.'),
  NOT_STORED: whenTold(
    500,
    'The delivery could not be committed. Nothing half-done is left.',
    'Meta repeats it by itself, for days; bring the database back.',
  ),
  PROCESSING_FAILED: later(
    503,
    'A task’s webhook could not be processed this time.',
    'Nothing: it is called for again.',
  ),
  CLAIM_LOST: later(
    503,
    'Another process took the row over meanwhile.',
    'Nothing: it is called for again.',
  ),
  whatsapp_retryable_error: later(
    503,
    'A task’s message was not accepted, and is tried again later; `details.error_code` says why.',
    'Nothing: it is called for again.',
  ),
  whatsapp_permanent_error: never(
    [400, 502],
    'A task’s message was given up; `details.error_code` says why. 400: of the message itself; 502: Meta’s doing.',
    'Decide on its dead letter.',
  ),
} as const satisfies Record<string, ErrorRow>

/** In records of deliveries and at the command line; the API says none of them. */
const elsewhere = {
  NOTHING_FOUND: never(404, 'Nothing here is called that.', 'Check the id that is looked for.'),
  INVALID_ANSWER: never(
    422,
    'What an endpoint answered for its account is no message. Seen in the delivery’s record.',
    'Answer with JSON as the event documents say.',
  ),
  RECIPIENT_UNKNOWN: never(
    422,
    'An endpoint answered a message of which nobody is known to have written it.',
    'Nothing.',
  ),
  NOT_MIGRATED: never(
    500,
    'A command met a database without this version’s tables. Only at the command line.',
    'Run `estafet migrate`, or start the gateway.',
  ),
} as const satisfies Record<string, ErrorRow>

export const connectingErrors = {
  'Connecting numbers': signup,
  'Tenants, people and the console': people,
  'Webhooks and tasks': called,
  'In records and at the command line': elsewhere,
} as const
