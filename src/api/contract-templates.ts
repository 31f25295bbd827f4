// What the template API answers, and its queries. What a template may be is templates/definition.ts.
import { z } from 'zod'
import { flag, listQuery, time } from './contract.ts'
import { renderedTemplate } from './contract-preview.ts'

const word = z
  .string()
  .regex(/^[A-Za-z_]{1,64}$/, 'a word of Meta’s')
  .transform((said) => said.toUpperCase())

const choice = {
  account_id: z.string().max(64).optional().describe('acc_…'),
  phone_number_id: z
    .string()
    .regex(/^[\x21-\x7e]{1,128}$/, 'one of Meta’s ids')
    .optional(),
}

export const templatesQuery = listQuery.extend({
  ...choice,
  name: z
    .string()
    .regex(/^[a-z0-9_]{1,512}$/, 'lower-case letters, digits and underscores')
    .optional(),
  language: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,32}$/, 'a code of Meta’s, such as en or pt_BR')
    .optional(),
  status: word.optional(),
  category: word.optional(),
  gone: flag.default(false).describe('those that Meta no longer has, instead'),
})

const component = z.record(z.string(), z.unknown())

export const template = z
  .object({
    id: z.string(),
    waba_id: z.string().describe('all numbers in it share the template'),
    meta_id: z.string().nullable(),
    name: z.string(),
    language: z.string(),
    category: z.string().nullable().describe('MARKETING, UTILITY or AUTHENTICATION'),
    next_category: z
      .object({ category: z.string(), at: time.nullable() })
      .nullable()
      .describe('what Meta has announced that it will become'),
    status: z.string().describe('Meta’s: APPROVED, PENDING, REJECTED, PAUSED, DISABLED …'),
    status_detail: z.string().nullable().describe('why, in Meta’s words'),
    rejection_reason: z.string().nullable(),
    is_sendable: z.boolean(),
    quality: z.string().nullable().describe('GREEN, YELLOW, RED or UNKNOWN'),
    parameter_format: z.enum(['POSITIONAL', 'NAMED']).nullable(),
    components: z
      .array(component)
      .nullable()
      .describe('null until the first sync after a webhook told of it'),
    message_send_ttl_seconds: z.number().int().nullable(),
    synced_at: time.nullable().describe('when Meta last listed or showed it'),
    gone_at: time.nullable().describe('since when Meta does not have it any more'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Template' })

export const templateDeletion = z
  .object({
    id: z.string(),
    name: z.string(),
    languages: z.array(z.string()),
    name_blocked_until: time
      .nullable()
      .describe('about: Meta keeps the name of a deleted template for 30 days'),
  })
  .meta({ id: 'TemplateDeletion' })

export const templateDeletionQuery = z.object({
  all_languages: flag.default(false).describe('every template of this name'),
})

export const templateSyncQuery = z.object(choice)

export const newTemplateSample = z
  .strictObject({
    media_id: z.string().max(64).describe('med_…, uploaded before: a JPEG, PNG, MP4 or PDF'),
    ...choice,
  })
  .meta({ id: 'NewTemplateSample' })

export const templateSample = z
  .object({
    handle: z.string().describe('for example.header_handle of a HEADER'),
    format: z.enum(['IMAGE', 'VIDEO', 'DOCUMENT']).describe('of the HEADER it is good for'),
  })
  .meta({ id: 'TemplateSample' })

const accessState = {
  access: z
    .enum(['ok', 'denied'])
    .describe('whether Meta lets our token manage templates; sending is another matter'),
  last_error: z.object({ code: z.string(), message: z.string(), at: time }).nullable(),
}

export const templateSyncState = z
  .object({
    waba_id: z.string(),
    state: z.enum(['never', 'waiting', 'running']),
    templates: z.number().int(),
    synced_at: time.nullable().describe('of the last complete listing'),
    next_sync_at: time.nullable(),
    ...accessState,
  })
  .meta({ id: 'TemplateSyncState' })

export const templateSyncResult = z
  .object({
    data: z.array(
      z.object({
        waba_id: z.string(),
        listed: z.number().int(),
        added: z.number().int(),
        gone: z.number().int(),
        error: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe('why it failed, where others did not'),
      }),
    ),
  })
  .meta({ id: 'TemplateSyncResult' })

/** What a message of it would have. */
const givenComponents = z
  .array(component)
  .max(50, 'at most 50 components')
  .describe('as in a message: template.components')

export const templatePreviewRequest = z
  .strictObject({
    components: givenComponents,
    with_examples: z.boolean().default(false).describe('what is not given shows its example'),
  })
  .meta({ id: 'TemplatePreviewRequest' })

export const templatePreview = renderedTemplate
  .extend({
    problems: z
      .array(z.object({ field: z.string(), problem: z.string() }))
      .describe('what does not fit: a message with these parameters would be refused'),
  })
  .meta({ id: 'TemplatePreview' })
