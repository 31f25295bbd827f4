// What Meta's codes mean: the only place that knows them. Pure data; outcomes.ts looks things up in it.
import type { CodeRow } from './outcome-row.ts'

export const codeRows: readonly CodeRow[] = [
  // Who we are to Meta.
  {
    name: 'TOKEN_INVALID',
    class: 'auth',
    scope: 'number',
    codes: [0, 102, 104, 190],
    advice: 'The access token is expired, revoked or damaged: reconnect the account.',
  },
  {
    name: 'PERMISSION_MISSING',
    class: 'auth',
    scope: 'number',
    codes: [10, [200, 299], 131005],
    advice:
      'The token may not send for this WhatsApp Business Account: reconnect the account and grant every permission asked for.',
  },
  {
    // On a send the object of the call is the number itself, which could be reached when it was connected.
    name: 'NUMBER_NOT_ACCESSIBLE',
    class: 'auth',
    scope: 'number',
    codes: [100],
    subcodes: [33],
    advice:
      'The token has lost its access to this number: reconnect the account, and check that the number still belongs to it.',
  },
  {
    // Comes as HTTP 500 and yet never changes by itself.
    name: 'CAPABILITY_MISSING',
    class: 'permanent',
    scope: 'message',
    codes: [3],
    advice:
      'The Meta app lacks the capability for this call: check the app’s products and access level in the App Dashboard.',
  },

  // Too much, too fast. Meta says so with HTTP 400 as often as with 429.
  {
    name: 'APP_RATE_LIMITED',
    class: 'rate_limited',
    scope: 'app',
    codes: [4, 17, 341],
    advice: 'The Meta app has used up its calls; sending goes on by itself when Meta allows it.',
  },
  {
    name: 'WABA_RATE_LIMITED',
    class: 'rate_limited',
    scope: 'waba',
    codes: [32, 613, 80007, 80008],
    advice:
      'The WhatsApp Business Account has used up its calls; sending goes on by itself when Meta allows it.',
  },
  {
    name: 'RATE_LIMITED',
    class: 'rate_limited',
    scope: 'number',
    codes: [130429, 131208],
    advice: 'The number sends faster than Meta allows; it is slowed down and goes on by itself.',
  },
  {
    name: 'REGISTRATION_RATE_LIMITED',
    class: 'rate_limited',
    scope: 'number',
    codes: [133008, 133009, 133016],
    advice:
      'The number was registered, or its PIN guessed, too often: wait for the time Meta names.',
  },
  {
    // Ten an hour for one Flow; other messages of the number are not held up.
    name: 'FLOW_RATE_LIMITED',
    class: 'rate_limited',
    scope: 'message',
    codes: [132069],
    advice: 'The Flow is throttled for its errors: repair it in the WhatsApp Manager.',
  },
  {
    name: 'SPAM_LIMITED',
    class: 'spam_limited',
    scope: 'number',
    codes: [131048],
    advice:
      'Too many recipients blocked or reported this number: stop campaigns and look at its quality rating; Meta lifts the limit after hours or days.',
  },
  {
    name: 'PAIR_RATE_LIMITED',
    class: 'pair_limited',
    scope: 'pair',
    codes: [131056],
    advice: 'Too many messages to this one contact; the next ones go by themselves, more slowly.',
  },

  // The business has something to repair.
  {
    name: 'ACCOUNT_RESTRICTED',
    class: 'account',
    scope: 'waba',
    codes: [368, 131031, 131064],
    advice:
      'Meta has restricted or locked the WhatsApp Business Account: see the reason and appeal in the Business Support Home.',
  },
  {
    name: 'PAYMENT_PROBLEM',
    class: 'account',
    scope: 'waba',
    codes: [131042, 131044, 134011],
    advice:
      'Meta cannot bill the account: repair its payment method, or accept the payments terms, in the Meta Business Suite.',
  },
  {
    name: 'NUMBER_NOT_REGISTERED',
    class: 'account',
    scope: 'number',
    codes: [131045, 133010],
    advice: 'The number is not registered for the Cloud API: register it again.',
  },
  {
    name: 'NUMBER_DELETED',
    class: 'account',
    scope: 'number',
    codes: [33],
    advice: 'The number no longer exists at Meta: add it again or connect another.',
  },
  {
    name: 'DISPLAY_NAME_NOT_APPROVED',
    class: 'account',
    scope: 'number',
    codes: [131037],
    advice: 'Meta has not approved the number’s display name: choose one in the WhatsApp Manager.',
  },
  {
    name: 'ACCOUNT_NOT_HEALTHY',
    class: 'account',
    scope: 'waba',
    codes: [[141000, 141999]],
    advice: 'Meta’s health check blocks the account: its errors name what is to be repaired.',
  },

  // This one person.
  {
    name: 'UNDELIVERABLE',
    class: 'recipient',
    scope: 'pair',
    codes: [131026],
    advice:
      'The contact cannot be reached: not on WhatsApp, an old app, terms not accepted, or the number is blocked.',
  },
  {
    name: 'RECIPIENT_BLOCKED_BY_BUSINESS',
    class: 'recipient',
    scope: 'pair',
    codes: [130403],
    advice: 'The business has blocked this contact: unblock them first.',
  },
  {
    name: 'RECIPIENT_STOPPED_MARKETING',
    class: 'recipient',
    scope: 'pair',
    codes: [131050],
    advice: 'The contact has stopped marketing messages: send no more until they resume.',
  },
  {
    name: 'MARKETING_NOT_DELIVERED',
    class: 'recipient',
    scope: 'pair',
    codes: [130472, 131049],
    advice:
      'Meta chose not to deliver this marketing message to this contact: wait at least a day before another.',
  },
  {
    // Of one country: the number goes on elsewhere, so that it is not an account matter.
    name: 'COUNTRY_RESTRICTED',
    class: 'recipient',
    scope: 'pair',
    codes: [130497],
    advice: 'The account may not send to this contact’s country.',
  },
  {
    name: 'IDENTITY_CHANGED',
    class: 'recipient',
    scope: 'pair',
    codes: [137000],
    advice:
      'The contact’s identity changed since it was last confirmed: verify who they are first.',
  },

  // The message itself.
  {
    name: 'WINDOW_CLOSED',
    class: 'permanent',
    scope: 'message',
    codes: [131047],
    advice: 'The contact last wrote more than 24 hours ago: send a template instead.',
  },
  {
    name: 'TEMPLATE_INVALID',
    class: 'permanent',
    scope: 'message',
    codes: [100],
    subcodes: [[2388000, 2388999]],
    advice: 'Meta refuses the template as it is written: change it as its message says.',
  },
  {
    name: 'INVALID_PARAMETER',
    class: 'permanent',
    scope: 'message',
    codes: [100, 192, 506, 131008, 131009, 135000],
    advice: 'Meta refuses a field of the message: correct it and send again.',
  },
  {
    name: 'LOGIN_CODE_INVALID',
    class: 'permanent',
    scope: 'message',
    codes: [100],
    subcodes: [36007, 36009],
    advice: 'The sign-up code was used or is older than 30 seconds: connect the account again.',
  },
  {
    name: 'MEDIA_NOT_USABLE',
    class: 'permanent',
    scope: 'message',
    codes: [131014, 131052, 131053],
    advice: 'Meta could not fetch the media or take its format: check the link, type and size.',
  },
  {
    name: 'TYPE_NOT_SUPPORTED',
    class: 'permanent',
    scope: 'message',
    codes: [131051, 131055, 131060],
    advice: 'Meta does not support this kind of message here: send another type.',
  },
  {
    name: 'RECIPIENT_NOT_ALLOWED',
    class: 'permanent',
    scope: 'message',
    codes: [131021, 131030, 131062],
    advice:
      'This recipient cannot be used: the sender itself, not in a test number’s list, or a business-scoped id where a phone number is needed.',
  },
  {
    name: 'GROUP_REFUSED',
    class: 'permanent',
    scope: 'message',
    codes: [131020, 131041, 131059, [131201, 131207], [131209, 131215]],
    advice:
      'Meta refuses this for the group: check that it exists, is open and has the number in it.',
  },
  {
    name: 'TEMPLATE_NOT_FOUND',
    class: 'permanent',
    scope: 'message',
    codes: [132001],
    advice:
      'There is no approved template of this name in this language; en and en_US are two languages.',
  },
  {
    name: 'TEMPLATE_PARAMETERS',
    class: 'permanent',
    scope: 'message',
    codes: [132000, 132005, 132008, 132012, 132018],
    advice: 'The parameters do not fit the template: compare their number, order, form and length.',
  },
  {
    name: 'TEMPLATE_PAUSED',
    class: 'permanent',
    scope: 'message',
    codes: [132015],
    advice: 'Meta has paused the template for its quality, for hours: use another one meanwhile.',
  },
  {
    name: 'TEMPLATE_NOT_USABLE',
    class: 'permanent',
    scope: 'message',
    codes: [131058, 131063, 132007, 132016, 132068, 134100, 134102, 200002],
    advice:
      'This template cannot be sent this way: it is disabled, against a policy, or meant for another API.',
  },

  // Meta's own trouble.
  {
    name: 'META_TROUBLE',
    class: 'transient',
    scope: 'message',
    codes: [1, 2, 131000, 131016, 133004, 139102, 139103],
    advice: 'Meta has trouble; the message is tried again by itself.',
  },
  {
    name: 'NUMBER_IN_MAINTENANCE',
    class: 'transient',
    scope: 'number',
    codes: [131057, 133015, 2494100],
    advice: 'Meta is working on the number; the message is tried again by itself.',
  },
  {
    name: 'NUMBER_IN_MAINTENANCE',
    class: 'transient',
    scope: 'number',
    codes: [100],
    subcodes: [2494100],
    advice: 'Meta is working on the number; the message is tried again by itself.',
  },
  {
    name: 'TEMPLATE_SYNCING',
    class: 'transient',
    scope: 'message',
    codes: [134101],
    advice: 'Meta is still spreading a new template, for up to ten minutes; it is tried again.',
  },

  // Answers to other calls than a send. They are in the sheet, so they have a meaning here too: never retried.
  {
    name: 'CALLING_REFUSED',
    class: 'permanent',
    scope: 'message',
    codes: [[138000, 138023]],
    advice: 'Meta refuses the call or the request for it: check the calling settings and limits.',
  },
  {
    name: 'CONFIGURATION_NEEDED',
    class: 'permanent',
    scope: 'message',
    codes: [
      191,
      133000,
      133005,
      133006,
      [139000, 139004],
      139100,
      139101,
      [147001, 147005],
      [200005, 200007],
      1752041,
      2388001,
      2388012,
      2388019,
      2388091,
      2388093,
      2388103,
      [2494164, 2494179],
      2593079,
      2593085,
      [2593107, 2593109],
    ],
    advice: 'Something about the number or account is to be set up at Meta first; see its message.',
  },
  {
    name: 'TEMPLATE_INVALID',
    class: 'permanent',
    scope: 'message',
    codes: [2388023, 2388039, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299],
    advice: 'Meta refuses the template as it is written: change it as its message says.',
  },
]
