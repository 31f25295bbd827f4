// Templates at the command line.
import { templatePreviewRequest, templatesQuery } from '../api/contract-templates.ts'
import { AppError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { deleteTemplate, holdTemplate } from '../templates/change.ts'
import { listSyncs, listTemplates, syncAccounts } from '../templates/list.ts'
import { contentOf } from '../templates/model.ts'
import { showDeletion, showPreview, showTemplate } from '../templates/show.ts'
import { createTemplateSync } from '../templates/sync.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { readOptions } from './read-options.ts'
import { previewText, syncText, templateText } from './templates-text.ts'
import { table } from './text.ts'

interface ListOptions extends TableOptions {
  phoneNumberId?: string
  name?: string
  status?: string
  category?: string
  gone?: boolean
  limit?: string
  after?: string
}

export async function templateList(tenant: string, options: ListOptions): Promise<void> {
  const query = readOptions(templatesQuery, {
    phone_number_id: options.phoneNumberId,
    name: options.name,
    status: options.status,
    category: options.category,
    gone: options.gone ? 'true' : undefined,
    limit: options.limit,
    after: options.after,
  })
  await withRuntime(async (runtime) => {
    const { db, clock } = runtime
    const tenantId = await tenantNamed(runtime, tenant)
    const page = await listTemplates(db.api, tenantId, query)
    const rows = page.data.map((one) => [
      one.id,
      one.status,
      one.category ?? '-',
      one.quality ?? '-',
      one.language,
      one.name,
    ])
    const more = page.paging.next === null ? [] : [`Next: --after ${page.paging.next}`]
    const text =
      rows.length === 0
        ? await emptyText(runtime, tenantId, tenant)
        : table(['ID', 'STATUS', 'CATEGORY', 'QUALITY', 'LANGUAGE', 'NAME'], rows)
    const syncs = (await listSyncs(db.api, tenantId, clock.now())).map(syncText)
    print(options, page, [text, ...more, ...syncs].join('\n'))
  })
}

async function emptyText({ db, clock }: Runtime, tenantId: string, tenant: string) {
  const syncs = await listSyncs(db.api, tenantId, clock.now())
  if (syncs.length === 0) return 'This tenant has no account. Next: estafet account connect'
  return syncs.every((sync) => sync.synced_at === null)
    ? `Its templates have not been listed yet. Next: estafet template sync ${tenant}`
    : 'There are no such templates.'
}

export async function templateSync(
  tenant: string,
  options: TableOptions & { phoneNumberId?: string },
): Promise<void> {
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const db = runtime.db.api
    const sync = createTemplateSync({ ...runtime, db })
    const choice = { phone_number_id: options.phoneNumberId }
    const data = await syncAccounts({ db, sync }, tenantId, choice)
    const lines = data.map(({ waba_id, listed, added, gone, error }) =>
      error
        ? `${waba_id}: ${error.message}`
        : `${waba_id}: ${listed} templates, ${added} of them new here; ${gone} are gone.`,
    )
    print(options, { data }, lines.join('\n'))
  })
}

export async function templateShow(
  tenant: string,
  id: string,
  options: TableOptions,
): Promise<void> {
  await withTemplate(tenant, id, async ({ row }) => {
    const shown = showTemplate(row)
    print(options, shown, templateText(shown))
  })
}

export async function templatePreviewCommand(
  tenant: string,
  id: string,
  options: TableOptions & { components?: string; examples?: boolean },
): Promise<void> {
  const given = readOptions(templatePreviewRequest, {
    components: jsonIn(options.components ?? '[]'),
    with_examples: options.examples ?? false,
  })
  await withTemplate(tenant, id, async ({ row }) => {
    const content = contentOf(row)
    if (!content) {
      const next = `Next: estafet template sync ${tenant}`
      throw new AppError('TEMPLATE_NOT_SYNCED', 409, `What it says is not known yet. ${next}`)
    }
    const preview = showPreview(content, given.components, given.with_examples)
    print(options, preview, previewText(preview))
  })
}

export async function templateDelete(
  tenant: string,
  id: string,
  options: TableOptions & { allLanguages?: boolean },
): Promise<void> {
  await withTemplate(tenant, id, async ({ runtime, tenantId }) => {
    const desk = { ...runtime, db: runtime.db.api }
    const by = { tenantId, actor }
    const gone = showDeletion(await deleteTemplate(desk, by, id, options.allLanguages ?? false))
    const until = gone.name_blocked_until?.slice(0, 10) ?? 'for 30 days'
    print(
      options,
      gone,
      `${gone.name} (${gone.languages.join(', ')}) is deleted. Meta keeps its name until about ${until}.`,
    )
  })
}

async function withTemplate(
  tenant: string,
  id: string,
  work: (found: {
    runtime: Runtime
    tenantId: string
    row: Awaited<ReturnType<typeof holdTemplate>>
  }) => Promise<void>,
): Promise<void> {
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const row = await runtime.db.api.tenantTransaction(tenantId, (tx) =>
      holdTemplate(tx, tenantId, id),
    )
    await work({ runtime, tenantId, row })
  })
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_REQUEST', 400, '--components: not valid JSON')
  }
}
