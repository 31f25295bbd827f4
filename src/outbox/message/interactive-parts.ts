// What interactive messages share: header, body, footer, and the button that opens a page.
import { z } from 'zod'
import { text, webUrl } from './limits.ts'
import { plainDocument, plainMedia } from './media.ts'

export const textHeader = z.strictObject({
  type: z.literal('text', { error: 'this kind takes a text header only' }),
  text: text(60),
  sub_text: text(60).optional(),
})

export const mediaHeader = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('image'), image: plainMedia }),
    z.strictObject({ type: z.literal('video'), video: plainMedia }),
  ],
  { error: 'one of image, video' },
)

export const header = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('text'), text: text(60), sub_text: text(60).optional() }),
    z.strictObject({ type: z.literal('image'), image: plainMedia }),
    z.strictObject({ type: z.literal('video'), video: plainMedia }),
    z.strictObject({ type: z.literal('document'), document: plainDocument }),
  ],
  { error: 'one of text, image, video, document' },
)

export const body = (max = 1024) => z.strictObject({ text: text(max) })
export const footer = z.strictObject({ text: text(60) }).optional()

export const buttonTitle = text(20)

export const linkParameters = z.strictObject({ display_text: buttonTitle, url: webUrl() })
