// Files: what an upload takes and answers.
import { z } from 'zod'

export const mediaForm = z
  .object({
    file: z
      .string()
      .meta({ format: 'binary' })
      .describe('the file, with its Content-Type; Meta’s types and sizes apply'),
    type: z
      .string()
      .optional()
      .describe('its type (image/jpeg) or kind (image), where the part does not say it'),
    messaging_product: z.literal('whatsapp').optional().describe('as Meta’s own endpoint has it'),
  })
  .meta({ id: 'MediaForm' })

export const uploadedMedia = z
  .object({
    media_id: z.string().describe('use it as `id` in a message, or to get the file back'),
  })
  .meta({ id: 'UploadedMedia' })

export const fileHeaders = z.object({
  range: z.string().max(200).optional().describe('one range of bytes; several give the whole file'),
  'if-range': z.string().max(200).optional(),
})
