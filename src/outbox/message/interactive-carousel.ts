// A carousel: 2 to 10 cards that all offer the same kind and number of buttons.
import { z } from 'zod'
import { metaId } from '../../api/contract.ts'
import { body, buttonTitle, linkParameters, mediaHeader } from './interactive-parts.ts'
import { productId, refuse, refuseRepeated, text } from './limits.ts'

const quickReply = z.strictObject({
  type: z.literal('quick_reply'),
  quick_reply: z.strictObject({ id: text(256), title: buttonTitle }),
})

// One object and not a union of three, so that an error names its field.
const cardAction = z.strictObject({
  name: z.literal('cta_url').optional(),
  parameters: linkParameters.optional(),
  buttons: z.array(quickReply).min(1, 'at least one button').max(3, 'at most 3 buttons').optional(),
  catalog_id: metaId.optional(),
  product_retailer_id: productId.optional(),
})

const card = z
  .strictObject({
    card_index: z.number().int().min(0).max(9),
    type: z.enum(['cta_url', 'product']).optional(),
    header: mediaHeader.optional(),
    body: z
      .strictObject({
        text: text(160).refine((said) => said.split('\n').length <= 3, 'at most 2 line breaks'),
      })
      .optional(),
    action: cardAction,
  })
  .superRefine((one, ctx) => {
    const kind = kindOf(one.action)
    if (kind === undefined) {
      const choice = 'a link (name and parameters), buttons, or a product (its id and catalog_id)'
      return refuse(ctx, ['action'], `exactly one of: ${choice}`)
    }
    if (one.type !== undefined && one.type !== kind) {
      refuse(ctx, ['type'], 'does not fit the card’s action')
    }
    if (kind === 'product') {
      if (one.header) refuse(ctx, ['header'], 'a product brings its own picture')
      if (one.body) refuse(ctx, ['body'], 'a product brings its own text')
    } else if (!one.header) refuse(ctx, ['header'], 'an image or a video is required')
  })

type CardKind = 'cta_url' | 'buttons' | 'product'

function kindOf(action: z.output<typeof cardAction>): CardKind | undefined {
  const { name, parameters, buttons, catalog_id, product_retailer_id } = action
  const has = (...parts: unknown[]) => parts.every((part) => part !== undefined)
  const kinds: CardKind[] = []
  if (has(name, parameters)) kinds.push('cta_url')
  if (has(buttons)) kinds.push('buttons')
  if (has(catalog_id, product_retailer_id)) kinds.push('product')
  const given = Object.values(action).filter((part) => part !== undefined).length
  const [kind] = kinds
  return given === (kind === 'buttons' ? 1 : 2) ? kind : undefined
}

const cards = z
  .array(card)
  .min(2, 'at least 2 cards')
  .max(10, 'at most 10 cards')
  .superRefine((list, ctx) => {
    refuseRepeated(
      ctx,
      list.map((one) => one.card_index),
      (index) => [index, 'card_index'],
    )
    const shape = ({ action }: z.output<typeof card>) =>
      `${kindOf(action)} ${action.buttons?.length ?? 0} ${action.catalog_id ?? ''}`
    const [first] = list
    for (const [index, one] of list.entries()) {
      if (first && shape(one) !== shape(first)) {
        const what = 'of the same kind, number and catalogue on all cards'
        return refuse(ctx, [index, 'action'], `must be ${what}`)
      }
    }
  })

export const carousel = z.strictObject({
  type: z.literal('carousel'),
  body: body(),
  action: z.strictObject({ cards }),
})
