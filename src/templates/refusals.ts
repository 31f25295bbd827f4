// What Meta says to a change of templates → what we answer: a stable code, Meta's limits explained, its own words beside.

import { AppError } from '../errors.ts'
import type { ErrorCode } from '../errors-table.ts'
import type { Failed } from '../meta/graph-templates.ts'

export type Verb = 'list' | 'create' | 'edit' | 'delete' | 'unpause'

export interface TemplateFailure {
  error: AppError
  /** The token may not do this. Sends may go on with it all the same. */
  isAuth: boolean
  /** Whether Meta may have done it. */
  isUnknown: boolean
  retryAfterSeconds: number | null
  providerCode: number | null
  providerMessage: string | null
}

interface Explained {
  code: ErrorCode
  status: number
  message: string
}

/** By Meta's subcode; the code beside it is always 100. */
function bySubcode(subcode: number | null, verb: Verb): Explained | undefined {
  switch (subcode) {
    case 2388019:
      return {
        code: 'TEMPLATE_LIMIT_REACHED',
        status: 409,
        message:
          'The account has as many templates as Meta allows: 250, or 6000 once the business is verified and a number has ' +
          'an approved name. Delete some first.',
      }
    case 2388023:
      return {
        code: 'TEMPLATE_NAME_BLOCKED',
        status: 409,
        message:
          'A template of this name and language was deleted less than 30 days ago: Meta keeps the name blocked until then. ' +
          'Use another name.',
      }
    case 2388024:
      return {
        code: 'TEMPLATE_EXISTS',
        status: 409,
        message: 'The account has a template of this name in this language already.',
      }
    case 2388039:
      return verb === 'delete' ? notDeletable : verb === 'unpause' ? notPaused : notEditable
    case 2593002:
      return goneAtMeta
    case 33:
      return verb === 'list' || verb === 'create' ? undefined : goneAtMeta
    default:
      return undefined
  }
}

const notDeletable: Explained = {
  code: 'TEMPLATE_NOT_DELETABLE',
  status: 409,
  message: 'Meta does not delete this template now; one that it has disabled is never deleted.',
}

const notPaused: Explained = {
  code: 'TEMPLATE_NOT_PAUSED',
  status: 409,
  message: 'Only a paused template can be unpaused.',
}

export const notEditable: Explained = {
  code: 'TEMPLATE_NOT_EDITABLE',
  status: 409,
  message:
    'Meta does not take this edit now. Only approved, rejected and paused templates can be edited; an approved one once ' +
    'in 24 hours and ten times in 30 days, and its category never.',
}

const goneAtMeta: Explained = {
  code: 'TEMPLATE_NOT_AT_META',
  status: 409,
  message:
    'Meta no longer has this template, or does not show it to this token. The list is being synced.',
}

/** `isUnknown` matters for changes only: a listing is simply asked for again. */
export function failureOf(answer: Failed, verb: Verb): TemplateFailure {
  const { outcome } = answer
  const { provider } = outcome
  const explained = explain(answer, verb)
  const told = { title: answer.title, text: answer.text }
  const isUnknown = verb !== 'list' && ['unknown', 'transient'].includes(outcome.class)
  const details = {
    ...(provider && { provider }),
    ...((told.title ?? told.text) !== null && { meta_says: told }),
    ...(isUnknown && { outcome: 'unknown' }),
  }
  return {
    error: new AppError(explained.code, explained.status, explained.message, {
      details,
      ...(outcome.retryAfterSeconds !== null && {
        headers: { 'retry-after': String(outcome.retryAfterSeconds) },
      }),
    }),
    isAuth: explained.code === 'TEMPLATE_ACCESS_DENIED',
    isUnknown,
    retryAfterSeconds: outcome.retryAfterSeconds,
    providerCode: provider?.code ?? null,
    providerMessage: provider?.message ?? outcome.advice,
  }
}

function explain({ outcome, title, text }: Failed, verb: Verb): Explained {
  const known =
    outcome.provider?.code === 100 ? bySubcode(outcome.provider.subcode, verb) : undefined
  if (known) return known
  switch (outcome.class) {
    case 'auth':
      return {
        code: 'TEMPLATE_ACCESS_DENIED',
        status: 409,
        message:
          'Meta does not let this account’s token manage templates: reconnect it with the permission ' +
          'whatsapp_business_management. Sending is not affected.',
      }
    case 'rate_limited':
    case 'spam_limited':
    case 'pair_limited':
      return {
        code: 'PROVIDER_RATE_LIMITED',
        status: 429,
        message: 'Meta limits how often templates are managed; 100 may be created in an hour.',
      }
    case 'not_sent':
      return {
        code: 'PROVIDER_UNREACHABLE',
        status: 502,
        message: 'Meta could not be reached; nothing was changed. Try again.',
      }
    case 'unknown':
    case 'transient':
      return {
        code: 'PROVIDER_UNREACHABLE',
        status: 502,
        message:
          verb === 'list'
            ? 'Meta did not answer as it should; it is asked again by itself.'
            : 'Meta did not say whether it was done. The list is synced in a moment: look there before you try again.',
      }
    case 'accepted':
    case 'account':
    case 'permanent':
    case 'recipient':
      return {
        code: 'TEMPLATE_REFUSED',
        status: 422,
        message: text ?? title ?? outcome.provider?.message ?? 'Meta refuses this.',
      }
  }
}

/** `count`: how many tokens there are, none of which we can open. */
export function unreadableToken(count: number): TemplateFailure {
  const error =
    count === 0
      ? new AppError('ACCOUNT_NOT_FOUND', 404, 'There is no such account.')
      : new AppError(
          'TOKEN_UNREADABLE',
          500,
          'The account’s access token cannot be decrypted: an operator must look at ENCRYPTION_KEYS.',
        )
  return {
    error,
    isAuth: false,
    isUnknown: false,
    retryAfterSeconds: null,
    providerCode: null,
    providerMessage: error.message,
  }
}
