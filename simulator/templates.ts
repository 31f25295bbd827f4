// Message templates and their fate: created, reviewed, paused, edited, deleted.
import type { Background } from './background.ts'
import type { Category, TemplateComponent } from './template-components.ts'
import type { Clock, Random } from './time-and-chance.ts'

export const templateStatuses = [
  'APPROVED',
  'PENDING',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
] as const
export type TemplateStatus = (typeof templateStatuses)[number]

export interface Template {
  id: string
  waba_id: string
  name: string
  language: string
  category: Category
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: TemplateComponent[]
  status: TemplateStatus
  rejected_reason: string
  quality_score: 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN'
  message_send_ttl_seconds?: number
  created_at: Date
  /** Since when it can be sent; the Marketing Messages API needs ten minutes more. */
  approved_at: Date | null
  edits_at: Date[]
  /** What becomes of sends held for quality assessment; null: none are held. */
  pacing: 'release' | 'drop' | null
  /** A code that every send of it is refused with. */
  refuses_with: 132007 | 132068 | 132069 | null
}

export interface ReviewSettings {
  /** `manual`: nothing happens until the control API decides. */
  mode: 'automatic' | 'manual'
  delay_ms: number
}

/** Everything a status webhook says besides what the template itself tells. */
export interface TemplateNews {
  event: string
  reason: string | null
  more?: object
}

export type Announce = (template: Template, news: TemplateNews) => void

export interface Templates {
  review: ReviewSettings
  add(template: Omit<Template, 'id'>): Template
  /** Sends it to review; a decision follows by itself, unless reviews are manual. */
  submit(template: Template): void
  decide(template: Template, status: TemplateStatus, reason?: string): void
  find(id: string): Template | undefined
  findByName(wabaId: string, name: string, language: string): Template | undefined
  /** In the order of creation. */
  of(wabaId: string): Template[]
  delete(templates: Template[]): void
  /** Until when a name is blocked in this language because it was deleted. */
  blockedUntil(wabaId: string, name: string, language: string): Date | undefined
  /** How many were created in the hour before now. */
  createdLately(wabaId: string): number
}

/** Deleting a template blocks its name for 30 days. */
const nameBlockMs = 30 * 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000
const firstId = 1_689_556_908_000_000

/** Written anywhere in a template, it is refused in review; a reason may follow after a colon. */
const rejectMarker = /REJECT_ME(?::([A-Z_]+))?/

export function createTemplates(options: {
  clock: Clock
  random: Random
  background: Background
  review: ReviewSettings
  announce: Announce
}): Templates {
  const { clock, background, announce } = options
  const review = { ...options.review }
  const byId = new Map<string, Template>()
  const blocked = new Map<string, Date>()
  const creations = new Map<string, Date[]>()
  // Ids are told as JSON numbers in webhooks, so they have to fit in one exactly.
  let nextId = firstId + (options.random.bytes(4).readUInt32BE() % 1_000_000_000)

  function decide(template: Template, status: TemplateStatus, reason = 'NONE'): void {
    const before = template.status
    template.status = status
    template.rejected_reason = status === 'REJECTED' ? reason : 'NONE'
    template.approved_at = status === 'APPROVED' ? (template.approved_at ?? clock.now()) : null
    if (before !== status) announce(template, newsOf(template, before, reason, clock))
  }

  function lately(wabaId: string): Date[] {
    const since = clock.now().getTime() - hourMs
    return (creations.get(wabaId) ?? []).filter((at) => at.getTime() > since)
  }

  async function reviewLater(template: Template): Promise<void> {
    if (!(await background.wait(review.delay_ms))) return
    // Deleted, or decided by hand meanwhile.
    if (byId.get(template.id) !== template || template.status !== 'PENDING') return
    const marked = rejectMarker.exec(JSON.stringify(template.components))
    if (marked === null) decide(template, 'APPROVED')
    else decide(template, 'REJECTED', marked[1] ?? 'INVALID_FORMAT')
  }

  return {
    review,
    add(given) {
      nextId += 1
      const template = { id: String(nextId), ...given }
      byId.set(template.id, template)
      creations.set(template.waba_id, [...lately(template.waba_id), given.created_at])
      return template
    },
    submit(template) {
      template.status = 'PENDING'
      if (review.mode === 'automatic') background.run(reviewLater(template))
    },
    decide,
    find: (id) => byId.get(id),
    findByName: (wabaId, name, language) =>
      [...byId.values()].find(
        (each) => each.waba_id === wabaId && each.name === name && each.language === language,
      ),
    of: (wabaId) => [...byId.values()].filter((each) => each.waba_id === wabaId),
    delete(templates) {
      for (const template of templates) {
        byId.delete(template.id)
        const until = new Date(clock.now().getTime() + nameBlockMs)
        blocked.set(keyOf(template.waba_id, template.name, template.language), until)
        announce(template, { event: 'PENDING_DELETION', reason: null })
      }
    },
    blockedUntil(wabaId, name, language) {
      const until = blocked.get(keyOf(wabaId, name, language))
      return until !== undefined && until > clock.now() ? until : undefined
    },
    createdLately: (wabaId) => lately(wabaId).length,
  }
}

function newsOf(
  template: Template,
  before: TemplateStatus,
  reason: string,
  clock: Clock,
): TemplateNews {
  switch (template.status) {
    case 'APPROVED':
      return { event: before === 'PAUSED' ? 'REINSTATED' : 'APPROVED', reason: 'NONE' }
    case 'REJECTED':
      return {
        event: 'REJECTED',
        reason,
        more: {
          rejection_info: {
            reason: 'The content of the template was not accepted.',
            recommendation: 'Change the content and submit it again.',
          },
        },
      }
    case 'PAUSED':
      return {
        event: 'PAUSED',
        reason: 'NONE',
        more: {
          other_info: { title: 'FIRST_PAUSE', description: 'Paused for 3 hours: low quality.' },
        },
      }
    case 'DISABLED': {
      const disable_date = String(Math.floor(clock.now().getTime() / 1000))
      return { event: 'DISABLED', reason: 'NONE', more: { disable_info: { disable_date } } }
    }
    case 'PENDING':
    case 'IN_APPEAL':
    case 'LIMIT_EXCEEDED':
    case 'ARCHIVED':
      return { event: template.status, reason: 'NONE' }
  }
}

function keyOf(wabaId: string, name: string, language: string): string {
  return JSON.stringify([wabaId, name, language])
}
