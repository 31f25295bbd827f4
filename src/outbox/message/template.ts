// Templates: the approved one's name and language, and what fills its gaps. Whether they fit each other only Meta knows.
import { z } from 'zod'
import { freeText, productId, refuse, text } from './limits.ts'
import { location, plainDocument, plainMedia } from './media.ts'

const currency = z.strictObject({
  fallback_value: freeText(),
  code: z.string().regex(/^[A-Z]{3}$/, 'three capital letters, as in ISO 4217'),
  amount_1000: z.number().int(),
})

/** Meta has stopped reading all but the fallback, and still lists the rest. */
const dateTime = z.looseObject({ fallback_value: freeText() })

const gapText = text(2000)
  .refine((said) => !/[\n\r\t]/.test(said), 'must not have line breaks or tabs')
  .refine((said) => !/ {5}/.test(said), 'must not have more than 4 spaces in a row')

/** One key for each type, of the same name. */
const valueByType = {
  text: gapText,
  currency,
  date_time: dateTime,
  image: plainMedia,
  video: plainMedia,
  document: plainDocument,
  location,
  payload: freeText(),
  coupon_code: text(15),
  limited_time_offer: z.strictObject({ expiration_time_ms: z.number().int().positive() }),
  product: z.strictObject({ product_retailer_id: productId, catalog_id: freeText() }),
  // What a tap does: another thing for every kind of button, and more of them every year.
  action: z.record(z.string(), z.unknown()),
  ttl_minutes: z.union([z.number(), freeText()]),
  order_status: z.record(z.string(), z.unknown()),
  tap_target_configuration: z.unknown(),
}

const optionalValues = Object.fromEntries(
  Object.entries(valueByType).map(([key, schema]) => [key, schema.optional()]),
) as { [Key in keyof typeof valueByType]: z.ZodOptional<(typeof valueByType)[Key]> }

// Meta adds types of parameters and components several times a year, for kinds of templates that need nothing else from
// us. Types that are unknown here therefore go to Meta as they are; those that are known must have nothing unknown.
const parameter = z
  .looseObject({ type: freeText(), parameter_name: freeText().optional(), ...optionalValues })
  .superRefine((one, ctx) => {
    const type = one.type.toLowerCase()
    if (!Object.hasOwn(valueByType, type)) return
    if (one[type] === undefined) refuse(ctx, [type], `required with type ${type}`)
    refuseUnknown(one, ['type', 'parameter_name', type], ctx)
  })

function refuseUnknown(value: object, known: string[], ctx: z.RefinementCtx): void {
  const keys = Object.keys(value).filter((key) => !known.includes(key))
  if (keys.length === 0) return
  ctx.addIssue({ code: 'unrecognized_keys', keys, input: { ...value }, message: 'unknown field' })
}

/** A template has at most ten buttons; Meta takes their places as numbers and as text. */
const buttonIndex = z.union([z.number().int().min(0).max(9), z.string().regex(/^\d$/)], {
  error: 'a button’s place, from 0 to 9',
})

const knownKeys: Record<string, string[]> = {
  header: ['type', 'parameters'],
  body: ['type', 'parameters'],
  button: ['type', 'sub_type', 'index', 'parameters'],
  carousel: ['type', 'cards'],
  limited_time_offer: ['type', 'parameters'],
  order_status: ['type', 'parameters'],
  tap_target_configuration: ['type', 'parameters'],
}

/** What a text may be long at most, once it stands in the template. */
const textLimits: Record<string, number> = { header: 60, body: 1024 }

const component = {
  type: freeText(),
  sub_type: freeText().optional(),
  index: buttonIndex.optional(),
  parameters: z.array(parameter).optional(),
}

interface Component {
  type: string
  sub_type?: string | undefined
  index?: unknown
  parameters?: { text?: string | undefined }[] | undefined
  cards?: unknown
}

function checkComponent(one: Component, ctx: z.RefinementCtx): void {
  const type = one.type.toLowerCase()
  const known = Object.hasOwn(knownKeys, type) ? knownKeys[type] : undefined
  if (!known) return
  refuseUnknown(one, known, ctx)
  if (type === 'carousel' && one.cards === undefined) refuse(ctx, ['cards'], 'required')
  if (type === 'button') {
    if (one.sub_type === undefined) refuse(ctx, ['sub_type'], 'required with type button')
    if (one.index === undefined) refuse(ctx, ['index'], 'required with type button')
  }
  const limit = textLimits[type] ?? Number.POSITIVE_INFINITY
  for (const [index, { text: said }] of (one.parameters ?? []).entries()) {
    if (said !== undefined && [...said].length > limit) {
      refuse(ctx, ['parameters', index, 'text'], `at most ${limit} characters in a ${type}`)
    }
  }
}

const cardComponent = z.looseObject(component).superRefine((one, ctx) => {
  if (one.type.toLowerCase() === 'carousel') refuse(ctx, ['type'], 'not inside a carousel')
  else checkComponent(one, ctx)
})

const card = z.strictObject({
  card_index: z.number().int().min(0).max(9),
  components: z.array(cardComponent),
})

const topComponent = z
  .looseObject({
    ...component,
    cards: z.array(card).min(1, 'at least one card').max(10, 'at most 10 cards').optional(),
  })
  .superRefine(checkComponent)

export const template = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9_]+$/, 'lower-case letters, digits and underscores')
      .max(512, 'at most 512 characters'),
    language: z.strictObject({
      code: z
        .string()
        .regex(/^[a-z]{2,3}(_[A-Za-z0-9]{2,8})*$/, 'a code of Meta’s, such as en or pt_BR')
        .max(32, 'at most 32 characters'),
      policy: z.literal('deterministic').optional(),
    }),
    components: z.array(topComponent).max(50, 'at most 50 components').optional(),
  })
  .meta({ id: 'TemplateContent' })
