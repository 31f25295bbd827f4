// POST /{template-id}: new components, another category or lifetime, and a new review. Also its
// /unpause.

import { refused } from '../template-components.ts'
import type { Template } from '../templates.ts'
import type { Access } from './access.ts'
import { invalidRequest } from './errors.ts'
import type { Fields } from './fields.ts'
import { textIn } from './fields.ts'
import { categoryIn, lifetimeIn, readComponents } from './message-templates.ts'

const dayMs = 24 * 60 * 60 * 1000
const editable = ['APPROVED', 'REJECTED', 'PAUSED']

export function editTemplate(
  { business, clock }: Access,
  template: Template,
  params: Fields,
): void {
  if (!editable.includes(template.status)) {
    throw notEditable('Only approved, rejected and paused templates can be edited.')
  }
  for (const key of ['name', 'language', 'parameter_format']) {
    if (textIn(params, key) !== undefined) throw invalidRequest(`Param ${key} can’t be changed.`)
  }
  const wasApproved = template.status === 'APPROVED'
  const category = categoryIn(params) ?? template.category
  if (wasApproved && category !== template.category) {
    throw notEditable('The category of an approved template can’t be changed.')
  }
  const components =
    params.components === undefined
      ? template.components
      : readComponents(business, params.components, { ...template, category })
  const lifetime = lifetimeIn(params, category)
  const now = clock.now()
  if (wasApproved) checkEdits(template, now)
  Object.assign(template, { category, components, ...lifetime })
  if (params.components === undefined && params.category === undefined) return
  template.edits_at.push(now)
  business.templates.submit(template)
}

/** An approved template can be edited once in 24 hours and ten times in 30 days. */
function checkEdits({ edits_at }: Template, now: Date): void {
  const since = (days: number) =>
    edits_at.filter((at) => now.getTime() - at.getTime() < days * dayMs).length
  if (since(1) >= 1 || since(30) >= 10) {
    throw notEditable('This template was edited too often. Try again later.')
  }
}

export function unpauseTemplate({ business }: Access, template: Template): void {
  if (template.status !== 'PAUSED') throw notEditable('Only a paused template can be unpaused.')
  business.templates.decide(template, 'APPROVED')
}

const notEditable = (text: string) => refused(2388039, 'Template Can’t Be Edited', text)
