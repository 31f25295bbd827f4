// Interactive messages: everything with something to tap that is not a template.
import { z } from 'zod'
import { metaId } from '../../api/contract.ts'
import { carousel } from './interactive-carousel.ts'
import {
  body,
  buttonTitle,
  footer,
  header,
  linkParameters,
  textHeader,
} from './interactive-parts.ts'
import {
  catalogMessage,
  orderDetails,
  orderStatus,
  product,
  productList,
  titledWhenSeveral,
} from './interactive-products.ts'
import { freeText, refuse, refuseRepeated, text } from './limits.ts'

const replyButtons = z
  .array(
    z.strictObject({
      type: z.literal('reply'),
      reply: z.strictObject({
        id: text(256).refine((id) => id.trim() === id, 'must not begin or end with a space'),
        title: buttonTitle,
      }),
    }),
  )
  .min(1, 'at least one button')
  .max(3, 'at most 3 buttons')
  .superRefine((buttons, ctx) => {
    for (const key of ['id', 'title'] as const) {
      refuseRepeated(
        ctx,
        buttons.map(({ reply }) => reply[key]),
        (index) => [index, 'reply', key],
      )
    }
  })

const button = z.strictObject({
  type: z.literal('button'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({ buttons: replyButtons }),
})

const maxRows = 10

const listSections = z
  .array(
    z.strictObject({
      title: text(24).optional(),
      rows: z
        .array(z.strictObject({ id: text(200), title: text(24), description: text(72).optional() }))
        .min(1, 'at least one row')
        .max(maxRows, `at most ${maxRows} rows`),
    }),
  )
  .min(1, 'at least one section')
  .max(10, 'at most 10 sections')
  .superRefine((sections, ctx) => {
    titledWhenSeveral(sections, ctx)
    const places = sections.flatMap(({ rows }, section) =>
      rows.map(({ id }, row) => ({ id, path: [section, 'rows', row, 'id'] })),
    )
    if (places.length > maxRows) refuse(ctx, [], `at most ${maxRows} rows in all sections`)
    refuseRepeated(
      ctx,
      places.map(({ id }) => id),
      (index) => places[index]?.path ?? [],
    )
  })

const list = z.strictObject({
  type: z.literal('list'),
  header: textHeader.optional(),
  body: body(4096),
  footer,
  action: z.strictObject({ button: buttonTitle, sections: listSections }),
})

const ctaUrl = z.strictObject({
  type: z.literal('cta_url'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({ name: z.literal('cta_url'), parameters: linkParameters }),
})

const locationRequest = z.strictObject({
  type: z.literal('location_request_message'),
  body: body(),
  action: z.strictObject({ name: z.literal('send_location') }),
})

const flowParameters = z
  .strictObject({
    flow_message_version: z.literal('3', { error: 'must be "3"' }),
    flow_id: metaId.optional(),
    flow_name: freeText().optional(),
    flow_cta: text(30),
    flow_token: freeText().optional(),
    mode: z.enum(['draft', 'published']).optional(),
    flow_action: z.enum(['navigate', 'data_exchange']).optional(),
    flow_action_payload: z
      .strictObject({
        screen: freeText().optional(),
        // The Flow's own words.
        data: z
          .record(z.string(), z.unknown())
          .refine((data) => Object.keys(data).length > 0, 'must not be empty')
          .optional(),
      })
      .optional(),
  })
  .superRefine(({ flow_id, flow_name, flow_action, flow_action_payload }, ctx) => {
    if (flow_id === undefined && flow_name === undefined) {
      refuse(ctx, ['flow_id'], 'give a flow_id or a flow_name')
    }
    if (flow_id !== undefined && flow_name !== undefined) {
      refuse(ctx, ['flow_name'], 'give a flow_id or a flow_name, not both')
    }
    if (flow_action === 'data_exchange' && flow_action_payload !== undefined) {
      refuse(ctx, ['flow_action_payload'], 'only with the flow_action navigate')
    }
  })

const flow = z.strictObject({
  type: z.literal('flow'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({ name: z.literal('flow'), parameters: flowParameters }),
})

const addressMessage = z.strictObject({
  type: z.literal('address_message'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({
    name: z.literal('address_message'),
    // The fields of an address are each country's own, and Meta adds countries: they go to Meta as they are.
    parameters: z.looseObject({
      country: z.string().regex(/^[A-Z]{2}$/, 'two capital letters, as in ISO 3166'),
      values: z.record(z.string(), z.unknown()).optional(),
      saved_addresses: z.array(z.looseObject({ id: freeText() })).optional(),
      validation_errors: z.record(z.string(), z.unknown()).optional(),
    }),
  }),
})

const callPermissionRequest = z.strictObject({
  type: z.literal('call_permission_request'),
  body: body().optional(),
  action: z.strictObject({ name: z.literal('call_permission_request') }),
})

const voiceCall = z.strictObject({
  type: z.literal('voice_call'),
  header: header.optional(),
  body: body(),
  footer,
  action: z.strictObject({
    name: z.literal('voice_call'),
    parameters: z
      .strictObject({
        display_text: buttonTitle.optional(),
        ttl_minutes: z.number().int().min(1).max(43_200).optional(),
        payload: text(512).optional(),
      })
      .optional(),
  }),
})

export const interactive = z
  .discriminatedUnion(
    'type',
    [
      button,
      list,
      ctaUrl,
      locationRequest,
      flow,
      product,
      productList,
      catalogMessage,
      carousel,
      addressMessage,
      callPermissionRequest,
      voiceCall,
      orderDetails,
      orderStatus,
    ],
    {
      error:
        'one of button, list, cta_url, location_request_message, flow, product, product_list, catalog_message, carousel, ' +
        'address_message, call_permission_request, voice_call, order_details, order_status',
    },
  )
  .meta({ id: 'InteractiveContent' })
