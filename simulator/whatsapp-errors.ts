// WhatsApp's error codes with their titles, usual details and HTTP status: the same code comes as
// the answer to a call or, after a message was accepted, in a failed status.

import { GraphError } from './graph/errors.ts'
import type { StatusError } from './status-error.ts'

export interface Described {
  title: string
  details: string
  /** 400 unless said otherwise. */
  status?: number
  subcode?: number
}

const table = {
  33: {
    title: 'This object does not exist or does not support this action',
    details: 'Object with ID does not exist',
  },
  368: {
    status: 403,
    title: 'Temporarily blocked for policies violations',
    details:
      'The WhatsApp Business Account associated with the app has been restricted or disabled for ' +
      'violating a platform policy.',
  },
  130403: {
    title: 'Business has blocked the user',
    details: 'Unable to deliver the message. This business has blocked the end user on WhatsApp',
  },
  131008: { title: 'Required parameter is missing', details: 'A required parameter is missing.' },
  131009: {
    subcode: 2494010,
    title: 'Parameter value is not valid',
    details: 'Please check the parameters you have provided.',
  },
  131021: { title: 'Recipient cannot be sender', details: 'Recipient cannot be sender' },
  131026: { title: 'Message undeliverable', details: 'Message Undeliverable.' },
  131030: {
    subcode: 2655007,
    title: 'Recipient phone number not in allowed list',
    details:
      'Recipient phone number not in allowed list: Add recipient phone number to recipient list ' +
      'and try again.',
  },
  131031: { status: 403, title: 'Account has been locked', details: 'Business Account locked' },
  131041: { title: 'Group unknown', details: 'The group does not exist or is not yours.' },
  131042: {
    title: 'Business eligibility payment issue',
    details: 'There was an error related to your payment method.',
  },
  131047: {
    title: 'Re-engagement message',
    details:
      'Message failed to send because more than 24 hours have passed since the customer last ' +
      'replied to this number.',
  },
  131050: {
    title: 'User stopped marketing messages',
    details:
      'Unable to deliver the message. This recipient has chosen to stop receiving marketing ' +
      'messages on WhatsApp from your business.',
  },
  131051: { title: 'Unsupported message type', details: 'Message type is not supported.' },
  131053: {
    title: 'Media upload error',
    details: 'The media of the message is of a kind that cannot be sent this way.',
  },
  131057: {
    status: 500,
    title: 'Account in maintenance mode',
    details: 'Business Account is in maintenance mode',
  },
  131058: {
    title: 'Hello World templates can only be sent from the Public Test Numbers',
    details: 'hello_world can only be sent from a test number.',
  },
  131062: {
    title: 'Unsupported recipient',
    details: 'Business-scoped User ID (BSUID) recipients are not supported for this message.',
  },
  131063: {
    title: 'Marketing messages are disabled on Cloud API',
    details: 'Send marketing templates with the Marketing Messages API.',
  },
  132000: {
    title: 'Number of parameters does not match the expected number of params',
    details: 'The number of parameters does not match the template.',
  },
  132001: {
    status: 404,
    title: 'Template name does not exist in the translation',
    details: 'The template does not exist in this language or was not approved.',
  },
  132005: { title: 'Translated text too long', details: 'The text is too long.' },
  132007: {
    title: 'Template format character policy violated',
    details: 'The template content violates a WhatsApp policy.',
  },
  132012: {
    title: 'Parameter format does not match format in the created template',
    details: 'A parameter is of another format than the template wants.',
  },
  132015: {
    title: 'Template is paused',
    details: 'Template is paused due to low quality so it cannot be sent in a template message.',
  },
  132016: {
    title: 'Template is disabled',
    details:
      'Template has been paused too many times due to low quality and is now permanently disabled.',
  },
  132018: {
    title: 'Template parameter issue',
    details: 'There is an issue with the parameters of the template.',
  },
  132068: { title: 'Flow is blocked', details: 'The flow of the template is blocked.' },
  132069: {
    title: 'Flow is throttled',
    details: 'The flow of the template is throttled: 10 messages have been sent in the last hour.',
  },
  133005: {
    title: 'Two step verification PIN mismatch',
    details: 'Two-step verification PIN incorrect.',
  },
  133006: {
    title: 'Phone number re-verification needed',
    details: 'Phone number needs to be verified before registering.',
  },
  133008: {
    title: 'Too many two step verification PIN guesses',
    details: 'Too many two-step verification PIN guesses for this phone number.',
  },
  133010: {
    subcode: 2593006,
    title: 'Account not registered',
    details: 'Phone number not registered on the WhatsApp Business Platform.',
  },
  133016: {
    title: 'Account register deregister rate limit exceeded',
    details:
      'Registration or Deregistration failed because there were too many attempts for this phone ' +
      'number in a short period of time',
  },
  134100: {
    title: 'Only marketing messages are supported',
    details: 'Only templates of category MARKETING can be sent with this API.',
  },
  134101: {
    title: 'Your template is still syncing',
    details: 'Wait a few minutes, and then try sending your message again.',
  },
  137000: {
    title: 'Recipient identity key hash mismatch',
    details: 'The recipient_identity_key_hash is not that of the recipient any more.',
  },
} satisfies Record<number, Described>

export type WhatsAppCode = keyof typeof table

/** Undefined for codes that are no part of this table. */
export function describedCode(code: number): Described | undefined {
  return (table as Partial<Record<number, Described>>)[code]
}

/** The refusal of a call. */
export function refusal(code: WhatsAppCode, details?: string): GraphError {
  const known: Described = table[code]
  return new GraphError({
    status: known.status ?? 400,
    code,
    message: `(#${code}) ${known.title}`,
    details: details ?? known.details,
    ...(known.subcode === undefined ? {} : { subcode: known.subcode }),
  })
}

/** The error of a failed status, for what Meta accepts first. */
export function laterFailure(code: WhatsAppCode, details?: string): StatusError {
  const { title, details: usual }: Described = table[code]
  return { code, title, details: details ?? usual }
}

export const missingParameter = (name: string) =>
  refusal(131008, `Parameter "${name}" is required.`)

export const invalidParameter = (details: string) => refusal(131009, details)
