// Templates that Meta pauses because of a fault, for as long as the rule says. The template itself
// is changed, so that sends of it, reads of it and webhooks about it all say the same.
import type { Background } from '../background.ts'
import type { Template, Templates } from '../templates.ts'

export interface TemplatePauses {
  /** Whether there is something to pause. */
  isSendable(wabaId: string, name: string): boolean
  begin(wabaId: string, name: string, lastsMs: number): void
}

export interface PauseOptions {
  background: Background
  templates: Pick<Templates, 'of' | 'decide'>
}

export function createTemplatePauses({ background, templates }: PauseOptions): TemplatePauses {
  const approved = (wabaId: string, name: string): Template[] =>
    templates.of(wabaId).filter((each) => each.name === name && each.status === 'APPROVED')

  return {
    isSendable: (wabaId, name) => approved(wabaId, name).length > 0,
    begin(wabaId, name, lastsMs) {
      const paused = approved(wabaId, name)
      for (const template of paused) templates.decide(template, 'PAUSED')
      background.later(lastsMs, async () => {
        for (const template of paused) {
          // Somebody may have deleted, edited or disabled it meanwhile.
          if (template.status === 'PAUSED') templates.decide(template, 'APPROVED')
        }
      })
    },
  }
}
