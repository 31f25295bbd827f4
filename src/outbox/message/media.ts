// Images, videos, audio, documents and stickers: each by the id of an upload or by a link, never both.
import { z } from 'zod'
import { metaId } from '../../api/contract.ts'
import { freeText, refuse, text, webUrl } from './limits.ts'

const source = { id: metaId.optional(), link: webUrl().optional() }
const caption = text(1024).optional()
/** No file system takes a longer name. */
const filename = text(255).optional()

function fromOneSource({ id, link }: { id?: unknown; link?: unknown }, ctx: z.RefinementCtx): void {
  if (id === undefined && link === undefined) refuse(ctx, ['id'], 'give an id or a link')
  if (id !== undefined && link !== undefined)
    refuse(ctx, ['link'], 'give an id or a link, not both')
}

export const image = z.strictObject({ ...source, caption }).superRefine(fromOneSource)
export const video = z.strictObject({ ...source, caption }).superRefine(fromOneSource)
export const document = z.strictObject({ ...source, caption, filename }).superRefine(fromOneSource)
export const sticker = z.strictObject(source).superRefine(fromOneSource)
export const audio = z
  .strictObject({ ...source, voice: z.boolean().optional().describe('shown as a recorded note') })
  .superRefine(fromOneSource)

/** In headers of interactive messages and in templates there is no place for a caption. */
export const plainMedia = z.strictObject(source).superRefine(fromOneSource)
export const plainDocument = z.strictObject({ ...source, filename }).superRefine(fromOneSource)

const degrees = (limit: number) =>
  z.union(
    [
      z.number().min(-limit).max(limit),
      // Meta's own examples write them as text too.
      z
        .string()
        .regex(/^-?\d{1,3}(\.\d{1,20})?$/)
        .refine((said) => Math.abs(Number(said)) <= limit),
    ],
    { error: `degrees, from -${limit} to ${limit}` },
  )

export const location = z.strictObject({
  latitude: degrees(90),
  longitude: degrees(180),
  name: freeText().optional(),
  address: freeText().optional(),
})
