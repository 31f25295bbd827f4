// Interactive messages that show a shop: one product, several, the catalogue, and orders to pay.
import { z } from 'zod'
import { metaId } from '../../api/contract.ts'
import { body, footer, header, textHeader } from './interactive-parts.ts'
import { freeText, productId, refuse, text } from './limits.ts'

const maxProducts = 30

export const product = z.strictObject({
  type: z.literal('product'),
  body: body().optional(),
  footer,
  action: z.strictObject({ catalog_id: metaId, product_retailer_id: productId }),
})

const productSections = z
  .array(
    z.strictObject({
      title: text(24).optional(),
      product_items: z
        .array(z.strictObject({ product_retailer_id: productId }))
        .min(1, 'at least one product')
        .max(maxProducts, `at most ${maxProducts} products`),
    }),
  )
  .min(1, 'at least one section')
  .max(10, 'at most 10 sections')
  .superRefine((sections, ctx) => {
    titledWhenSeveral(sections, ctx)
    const count = sections.reduce((sum, { product_items }) => sum + product_items.length, 0)
    if (count > maxProducts) refuse(ctx, [], `at most ${maxProducts} products in all sections`)
  })

/** Of a list's sections too: with one alone there is nothing to tell apart. */
export function titledWhenSeveral(sections: { title?: unknown }[], ctx: z.RefinementCtx): void {
  if (sections.length < 2) return
  for (const [index, { title }] of sections.entries()) {
    if (title === undefined) refuse(ctx, [index, 'title'], 'required with more than one section')
  }
}

export const productList = z.strictObject({
  type: z.literal('product_list'),
  header: textHeader,
  body: body(),
  footer,
  action: z.strictObject({ catalog_id: metaId, sections: productSections }),
})

export const catalogMessage = z.strictObject({
  type: z.literal('catalog_message'),
  body: body(),
  footer,
  action: z.strictObject({
    name: z.literal('catalog_message'),
    parameters: z.strictObject({ thumbnail_product_retailer_id: productId }).optional(),
  }),
})

/** Payments exist in a few countries and differ in each; Meta adds ways to pay every few months. What stands beside the
 *  order's own name goes to Meta as it is. */
const orderParameters = z.looseObject({ reference_id: freeText() })

export const orderDetails = z.strictObject({
  type: z.literal('order_details'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({ name: z.literal('review_and_pay'), parameters: orderParameters }),
})

export const orderStatus = z.strictObject({
  type: z.literal('order_status'),
  body: body(),
  footer,
  action: z.strictObject({ name: z.literal('review_order'), parameters: orderParameters }),
})
