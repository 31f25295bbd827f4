// A template with its parameters filled in, as its contact sees it.
import { z } from 'zod'

const button = z.object({
  type: z.string(),
  text: z.string().nullable(),
  url: z.string().nullable(),
  phone_number: z.string().nullable(),
  payload: z.string().nullable().describe('what a quick reply sends back'),
  code: z.string().nullable().describe('what a tap copies'),
})

const card = {
  header: z
    .object({
      format: z.string(),
      text: z.string().nullable(),
      media: z.record(z.string(), z.unknown()).nullable(),
    })
    .nullable(),
  body: z.string(),
  buttons: z.array(button),
}

export const renderedTemplate = z
  .object({
    ...card,
    footer: z.string().nullable(),
    cards: z.array(z.object(card)),
  })
  .meta({ id: 'RenderedTemplate' })
