// Whether a template can be sent, as far as the mirror knows. Statuses that are new to us are Meta's to judge.
import { fieldName } from '../api/route.ts'
import { AppError } from '../errors.ts'
import type { MessageCode } from '../errors-messages.ts'
import type { ErrorCode } from '../errors-table.ts'
import type { Problem, TemplateContent } from './model.ts'
import { parameterProblems } from './parameters.ts'

export interface Standing {
  status: string
  isGone: boolean
}

export interface Refusal {
  /** Stable, and where Meta refuses for the same reason the same as for its answer. */
  code: ErrorCode & MessageCode
  advice: string
  /** It can pass by itself: what is to be sent later is judged later. */
  mayPass: boolean
}

const refusals: Record<string, Refusal> = {
  PAUSED: {
    code: 'TEMPLATE_PAUSED',
    advice: 'Meta has paused the template for its quality, for hours: use another one meanwhile.',
    mayPass: true,
  },
  DISABLED: {
    code: 'TEMPLATE_DISABLED',
    advice: 'Meta has disabled the template for good: make another one.',
    mayPass: false,
  },
  REJECTED: {
    code: 'TEMPLATE_REJECTED',
    advice: 'Meta has rejected the template: edit it as its rejection_reason says.',
    mayPass: false,
  },
  PENDING: {
    code: 'TEMPLATE_NOT_APPROVED',
    advice: 'Meta has not approved the template yet: wait for its review.',
    mayPass: true,
  },
  IN_APPEAL: {
    code: 'TEMPLATE_NOT_APPROVED',
    advice: 'Meta is looking at the template again: wait for its review.',
    mayPass: true,
  },
  LIMIT_EXCEEDED: {
    code: 'TEMPLATE_NOT_APPROVED',
    advice: 'The account has more templates than Meta allows: delete some.',
    mayPass: true,
  },
  ARCHIVED: {
    code: 'TEMPLATE_NOT_APPROVED',
    advice: 'The template is archived: take it out of the archive in the WhatsApp Manager.',
    mayPass: true,
  },
}

const deleted: Refusal = {
  code: 'TEMPLATE_DELETED',
  advice: 'The template was deleted at Meta; its name is free again after 30 days.',
  mayPass: false,
}

export function refusalOfStatus({ status, isGone }: Standing): Refusal | undefined {
  if (isGone || status === 'PENDING_DELETION' || status === 'DELETED') return deleted
  return Object.hasOwn(refusals, status) ? refusals[status] : undefined
}

/** What the mirror says of the template that a message names. */
export interface MirrorEntry {
  wabaId: string
  /** Of the last complete listing. */
  syncedAt: Date | null
  template: (Standing & { content: TemplateContent | undefined }) | undefined
}

/** A mirror that is older is no authority on what it does not have. */
const freshMs = 48 * 60 * 60 * 1000

/** The template of a message, as the request has it. */
export interface NamedTemplate {
  name: string
  language: { code: string }
  components?: unknown
}

export interface SendTerms {
  /** Where it stands in the request. */
  field: 'template' | 'fallback_template'
  /** It goes out later, if at all: a status that can pass does not matter now. */
  isForLater: boolean
  now: Date
}

/** Throws what is sure to be refused; what the mirror cannot know goes to Meta. */
export function refuseUnsendable(
  { name, language, components }: NamedTemplate,
  entry: MirrorEntry | undefined,
  { field, isForLater, now }: SendTerms,
): void {
  if (!entry) return
  const { template, syncedAt } = entry
  const details = { name, language: language.code }
  if (!template) {
    if (syncedAt === null || now.getTime() - syncedAt.getTime() > freshMs) return
    throw new UnknownTemplate(field, details, syncedAt)
  }
  const refusal = refusalOfStatus(template)
  if (refusal && !(isForLater && refusal.mayPass)) {
    const more = { details: { ...details, template_status: template.status } }
    throw new AppError(refusal.code, 422, `${field}: ${refusal.advice}`, more)
  }
  if (!template.content) return
  const fields = parameterProblems(template.content, components).map(asField(field))
  if (fields.length === 0) return
  throw new AppError('TEMPLATE_PARAMETERS', 422, `${fields[0]?.field}: ${fields[0]?.problem}`, {
    details: { ...details, fields },
  })
}

const asField =
  (field: string) =>
  ({ path, problem }: Problem) => ({ field: fieldName([field, 'components', ...path]), problem })

/** Apart from the others because it may only be new: whoever meets it asks for a sync. */
export class UnknownTemplate extends AppError {
  constructor(field: string, details: Record<string, unknown>, syncedAt: Date) {
    super(
      'TEMPLATE_NOT_FOUND',
      422,
      `${field}: the account has no template of this name in this language; en and en_US are two languages. ` +
        'If it is new at Meta, it is known here within a minute.',
      { details: { ...details, templates_synced_at: syncedAt.toISOString() } },
    )
  }
}
