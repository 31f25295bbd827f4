import { z } from 'zod'
import { listOf } from '../api/contract.ts'
import {
  newTemplateSample,
  template,
  templateDeletion,
  templateDeletionQuery,
  templatePreview,
  templatePreviewRequest,
  templateSample,
  templateSyncQuery,
  templateSyncResult,
  templateSyncState,
  templatesQuery,
} from '../api/contract-templates.ts'
import { templateErrors } from '../api/error-codes.ts'
import { type Route, route } from '../api/route.ts'
import { AppError } from '../errors.ts'
import {
  createTemplate,
  deleteTemplate,
  editTemplate,
  holdTemplate,
  unpauseTemplate,
} from './change.ts'
import { newTemplate, templateChange, templateDefinition } from './definition.ts'
import { listTemplates, syncAccounts, syncOfAccount } from './list.ts'
import { contentOf, type TemplateRow } from './model.ts'
import { giveSample, type SampleDesk } from './sample.ts'
import { showDeletion, showPreview, showTemplate } from './show.ts'
import type { TemplateSync } from './sync.ts'

interface TemplateRoutesOptions extends SampleDesk {
  sync: TemplateSync
}

const base = '/api/whatsapp/meta/templates'
const one = z.object({ id: z.string() })
const previewOfNew = templatePreviewRequest
  .extend({ template: templateDefinition })
  .meta({ id: 'NewTemplatePreviewRequest' })

export function templateRoutes(options: TemplateRoutesOptions): Route[] {
  return [
    ...syncRoutes(options),
    ...readRoutes(options),
    ...makeRoutes(options),
    ...changeRoutes(options),
  ]
}

function readRoutes({ db }: TemplateRoutesOptions): Route[] {
  return [
    route({
      operationId: 'templates.list',
      method: 'GET',
      path: base,
      summary: 'List your templates as Meta has them, with their status',
      access: 'agent',
      query: templatesQuery,
      answer: listOf(template),
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: ({ tenantId, query }) => listTemplates(db, tenantId, query),
    }),
    route({
      operationId: 'templates.get',
      method: 'GET',
      path: `${base}/:id`,
      summary: 'One template',
      access: 'agent',
      params: one,
      answer: template,
      errors: ['TEMPLATE_NOT_FOUND'],
      handle: async ({ tenantId, params }) =>
        showTemplate(
          await db.tenantTransaction(tenantId, (tx) => holdTemplate(tx, tenantId, params.id)),
        ),
    }),
    route({
      operationId: 'templates.preview',
      method: 'POST',
      path: `${base}/:id/preview`,
      summary: 'A template with parameters filled in, and what does not fit. Asks nobody',
      access: 'agent',
      params: one,
      body: templatePreviewRequest,
      answer: templatePreview,
      errors: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_NOT_SYNCED'],
      handle: async ({ tenantId, params, body }) => {
        const row = await db.tenantTransaction(tenantId, (tx) =>
          holdTemplate(tx, tenantId, params.id),
        )
        return showPreview(knownContent(row), body.components, body.with_examples)
      },
    }),
    route({
      operationId: 'templates.previewNew',
      method: 'POST',
      path: `${base}/preview`,
      summary: 'The same for a template that is not at Meta yet: checked as a new one would be',
      access: 'agent',
      body: previewOfNew,
      invalidCode: 'INVALID_TEMPLATE',
      answer: templatePreview,
      handle: async ({ body: { template: given, components, with_examples } }) =>
        showPreview(
          { parameterFormat: given.parameter_format, components: given.components },
          components,
          with_examples,
        ),
    }),
  ]
}

function knownContent(row: TemplateRow) {
  const content = contentOf(row)
  if (content) return content
  throw new AppError(
    'TEMPLATE_NOT_SYNCED',
    409,
    'What the template says is not known yet: call POST /api/whatsapp/meta/templates/sync first.',
  )
}

function syncRoutes(options: TemplateRoutesOptions): Route[] {
  const { db, clock } = options
  return [
    route({
      operationId: 'accounts.templateSync',
      method: 'GET',
      path: '/api/whatsapp/accounts/:id/template-sync',
      summary:
        'How far the local copy of an account’s templates is, and whether we may manage them',
      access: 'tenant',
      params: one,
      answer: templateSyncState,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: ({ tenantId, params }) => syncOfAccount(db, tenantId, params.id, clock.now()),
    }),
    route({
      operationId: 'templates.sync',
      method: 'POST',
      path: `${base}/sync`,
      summary: 'Ask Meta for all templates now: of one account, or of all',
      access: 'tenant',
      query: templateSyncQuery,
      answer: templateSyncResult,
      errors: [...templateErrors, 'TEMPLATE_SYNC_RUNNING'],
      handle: async ({ tenantId, query }) => ({
        data: await syncAccounts(options, tenantId, query),
      }),
    }),
  ]
}

function makeRoutes(desk: TemplateRoutesOptions): Route[] {
  return [
    route({
      operationId: 'templates.create',
      method: 'POST',
      path: base,
      summary: 'Create a template at Meta, for all numbers of the account. Meta reviews it',
      description:
        'Checked here first, by Meta’s own limits. After `PROVIDER_UNREACHABLE` look at the list before you try again: ' +
        'Meta may have it.',
      access: 'tenant',
      body: newTemplate,
      invalidCode: 'INVALID_TEMPLATE',
      answer: template,
      status: 201,
      errors: [
        ...templateErrors,
        'TEMPLATE_LIMIT_REACHED',
        'TEMPLATE_NAME_BLOCKED',
        'TEMPLATE_EXISTS',
        'TEMPLATE_NOT_EDITABLE',
        'TEMPLATE_NOT_AT_META',
      ],
      handle: async ({ tenantId, actor, body }) =>
        showTemplate(await createTemplate(desk, { tenantId, actor }, body)),
    }),
    route({
      operationId: 'templates.createSample',
      method: 'POST',
      path: `${base}/samples`,
      summary: 'Hand an uploaded file over to Meta as the sample of a template’s header',
      access: 'tenant',
      body: newTemplateSample,
      answer: templateSample,
      errors: [...templateErrors, 'MEDIA_NOT_FOUND', 'MEDIA_STORE_UNAVAILABLE'],
      handle: ({ tenantId, body }) => giveSample(desk, tenantId, body),
    }),
  ]
}

function changeRoutes(desk: TemplateRoutesOptions): Route[] {
  return [
    route({
      operationId: 'templates.update',
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Edit a template at Meta: components are replaced as a whole. Meta reviews it again',
      access: 'tenant',
      params: one,
      body: templateChange,
      invalidCode: 'INVALID_TEMPLATE',
      answer: template,
      errors: [
        ...templateErrors,
        'TEMPLATE_NOT_FOUND',
        'TEMPLATE_NOT_SYNCED',
        'TEMPLATE_NOT_EDITABLE',
        'TEMPLATE_NOT_AT_META',
        'TEMPLATE_LIMIT_REACHED',
        'TEMPLATE_NAME_BLOCKED',
        'TEMPLATE_EXISTS',
      ],
      handle: async ({ tenantId, actor, params, body }) =>
        showTemplate(await editTemplate(desk, { tenantId, actor }, params.id, body)),
    }),
    route({
      operationId: 'templates.unpause',
      method: 'POST',
      path: `${base}/:id/unpause`,
      summary: 'Let a paused template be sent again',
      access: 'tenant',
      params: one,
      answer: template,
      errors: [
        ...templateErrors,
        'TEMPLATE_NOT_FOUND',
        'TEMPLATE_NOT_SYNCED',
        'TEMPLATE_NOT_PAUSED',
        'TEMPLATE_NOT_AT_META',
      ],
      handle: async ({ tenantId, actor, params }) =>
        showTemplate(await unpauseTemplate(desk, { tenantId, actor }, params.id)),
    }),
    route({
      operationId: 'templates.delete',
      method: 'DELETE',
      path: `${base}/:id`,
      summary: 'Delete a template at Meta, in one language or in all',
      access: 'tenant',
      params: one,
      query: templateDeletionQuery,
      answer: templateDeletion,
      errors: [
        ...templateErrors,
        'TEMPLATE_NOT_FOUND',
        'TEMPLATE_NOT_SYNCED',
        'TEMPLATE_NOT_DELETABLE',
        'TEMPLATE_NOT_AT_META',
      ],
      handle: async ({ tenantId, actor, params, query }) => {
        const by = { tenantId, actor }
        return showDeletion(await deleteTemplate(desk, by, params.id, query.all_languages))
      },
    }),
  ]
}
