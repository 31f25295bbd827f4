// Template messages as their contacts see them, for whoever shows messages. With the template as the mirror has it now.
import type { Tx } from '../db/connect.ts'
import { findTemplates } from './for-sends.ts'
import { isRecord } from './parameters.ts'
import { type Preview, renderTemplate } from './preview.ts'

interface ShownMessage {
  id: string
  phone_number_id: string
  type: string
  content: Record<string, unknown>
}

/** By message id; those whose template is not known are left out. */
export async function renderMessages(
  tx: Tx,
  tenantId: string,
  messages: ShownMessage[],
): Promise<Map<string, Preview>> {
  const asked = messages.flatMap(({ id, phone_number_id, type, content }) => {
    const { template } = content
    if (type !== 'template' || !isRecord(template) || !isRecord(template.language)) return []
    const name = String(template.name)
    const language = String(template.language.code)
    return [
      { id, tenantId, phoneNumberId: phone_number_id, name, language, given: template.components },
    ]
  })
  const found = await findTemplates(tx, asked)
  return new Map(
    found.flatMap(({ asked: place, template }) => {
      const message = asked[place]
      if (!message || !template?.content) return []
      return [[message.id, renderTemplate(template.content, message.given)] as const]
    }),
  )
}
