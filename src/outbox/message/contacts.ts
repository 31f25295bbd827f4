// Contact cards. Only the formatted name is required.
import { z } from 'zod'
import { freeText } from './limits.ts'

const words = freeText().optional()
const many = <Item extends z.ZodType>(item: Item) => z.array(item).max(100).optional()

const contact = z.strictObject({
  name: z.strictObject({
    formatted_name: freeText(),
    first_name: words,
    last_name: words,
    middle_name: words,
    suffix: words,
    prefix: words,
  }),
  phones: many(z.strictObject({ phone: words, type: words, wa_id: words, user_id: words })),
  emails: many(z.strictObject({ email: words, type: words })),
  urls: many(z.strictObject({ url: words, type: words })),
  addresses: many(
    z.strictObject({
      street: words,
      city: words,
      state: words,
      zip: words,
      country: words,
      country_code: words,
      type: words,
    }),
  ),
  org: z.strictObject({ company: words, department: words, title: words }).optional(),
  birthday: z.iso.date('a date: YYYY-MM-DD').optional(),
})

export const contacts = z
  .array(contact)
  .min(1, 'at least one contact')
  .max(257, 'at most 257 contacts')
  .meta({ id: 'ContactsContent' })
