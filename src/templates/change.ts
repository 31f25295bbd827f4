// Creating, editing, unpausing and deleting a template: at Meta, then in the mirror. Each is two transactions with the
// call between them. The first puts on record who wants what and makes a sync due; if the process dies before the second,
// that sync finds what became of it.

import { findOneWaba, type WabaChoice } from '../accounts/find-waba.ts'
import { tokensOfWaba, type WabaToken } from '../accounts/token.ts'
import type { Vault } from '../accounts/vault.ts'
import { fieldName } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import type { Graph } from '../meta/graph.ts'
import {
  createGraphTemplates,
  type MetaTemplate,
  type Succeeded,
  type TemplateAnswer,
} from '../meta/graph-templates.ts'
import type { JsonObject } from '../meta/json.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { definitionProblems } from './definition.ts'
import { explainEdits, refuseEdit } from './edit-limits.ts'
import type { ParameterFormat, TemplateRow } from './model.ts'
import { addEdit, markDeleted, selectTemplate, selectTemplates, upsertSeen } from './queries.ts'
import { failureOf, type TemplateFailure, unreadableToken, type Verb } from './refusals.ts'
import { showTemplateAccess } from './show-access.ts'
import { bringSyncForward, keepAuthStatus } from './sync-queries.ts'

export interface TemplateDesk {
  db: Db
  graph: Graph
  vault: Vault
  clock: Clock
  random: Random
}

export interface By {
  tenantId: string
  actor: string
}

export interface NewTemplate extends WabaChoice {
  name: string
  language: string
  category: string
  parameter_format: ParameterFormat
  components: JsonObject[]
  allow_category_change?: boolean | undefined
  message_send_ttl_seconds?: number | undefined
}

export interface TemplateChange {
  category?: string | undefined
  components?: JsonObject[] | undefined
  message_send_ttl_seconds?: number | undefined
}

/** When the mirror is checked after a change that nothing has told of otherwise. */
const checkAfterMs = 2 * 60 * 1000

/** What is about to be done, and with which tokens it may be. */
interface Intent {
  verb: Exclude<Verb, 'list'>
  wabaId: string
  tokens: WabaToken[]
  subject: string
  details: Record<string, unknown>
}

export async function createTemplate(
  desk: TemplateDesk,
  by: By,
  { account_id, phone_number_id, ...definition }: NewTemplate,
): Promise<TemplateRow> {
  const { name, language } = definition
  const intent = await begin(desk, by, async (tx) => ({
    verb: 'create' as const,
    wabaId: await findOneWaba(tx, by.tenantId, { account_id, phone_number_id }),
    subject: `${name}/${language}`,
    details: { name, language },
  }))
  const templates = createGraphTemplates(desk.graph, desk.clock)
  const { answer, token } = await ask(desk, by, intent, (accessToken) =>
    templates.create(intent.wabaId, accessToken, { ...definition }),
  )
  const { metaId, status, category } = answer.value
  // Meta writes some texts itself: what it has is what counts, where it tells.
  const read = await templates.read(metaId, token)
  const made: MetaTemplate = {
    metaId,
    name,
    language,
    status,
    category: category ?? definition.category,
    parameterFormat: definition.parameter_format,
    components: definition.components,
    quality: null,
    rejectionReason: null,
    ttlSeconds: definition.message_send_ttl_seconds ?? null,
  }
  const seen = matching(read, made) ?? { value: made, at: answer.at }
  return end(desk, by, intent, async (tx) => {
    await upsertSeen(tx, by.tenantId, intent.wabaId, [seenNow(desk, seen)], noSync(desk))
    const id = await idOf(tx, by.tenantId, intent.wabaId, name, language)
    return { id, action: 'template.created', details: { meta_id: metaId, status } }
  })
}

export async function editTemplate(
  desk: TemplateDesk,
  by: By,
  id: string,
  change: TemplateChange,
): Promise<TemplateRow> {
  const held = await changed(desk, by, id, 'edit', Object.keys(change), (row) => {
    refuseEdit(row, change.category)
    refuseContent(row, change)
  })
  const { row, intent, metaId } = held
  const templates = createGraphTemplates(desk.graph, desk.clock)
  const { answer, token } = await ask(
    desk,
    by,
    intent,
    (accessToken) => templates.edit(metaId, accessToken, { ...change }),
    (failure) => explainEdits(failure, row, desk.clock.now()),
  )
  const read = await templates.read(metaId, token)
  return end(desk, by, intent, async (tx) => {
    await keepRead(desk, tx, by, row, read, answer.at)
    if (change.components || change.category) {
      await addEdit(tx, by.tenantId, row.id, desk.clock.now())
    }
    return { id: row.id, action: 'template.edited', details: { changed: Object.keys(change) } }
  })
}

export async function unpauseTemplate(
  desk: TemplateDesk,
  by: By,
  id: string,
): Promise<TemplateRow> {
  const { row, intent, metaId } = await changed(desk, by, id, 'unpause', ['status'], () => {})
  const templates = createGraphTemplates(desk.graph, desk.clock)
  const { answer, token } = await ask(desk, by, intent, (accessToken) =>
    templates.unpause(metaId, accessToken),
  )
  const read = await templates.read(metaId, token)
  return end(desk, by, intent, async (tx) => {
    await keepRead(desk, tx, by, row, read, answer.at)
    return { id: row.id, action: 'template.unpaused', details: {} }
  })
}

export interface Deleted {
  template: TemplateRow
  languages: string[]
}

/** Whoever deletes what is gone already is told that it is. */
export async function deleteTemplate(
  desk: TemplateDesk,
  by: By,
  id: string,
  allLanguages: boolean,
): Promise<Deleted> {
  const known = await desk.db.tenantTransaction(by.tenantId, (tx) =>
    holdTemplate(tx, by.tenantId, id),
  )
  if (known.gone_at !== null && !allLanguages) {
    return { template: known, languages: [known.language] }
  }
  const { row, intent, metaId } = await changed(desk, by, id, 'delete', [], (template) => {
    if (template.status !== 'DISABLED') return
    throw new AppError(
      'TEMPLATE_NOT_DELETABLE',
      409,
      'Meta has disabled this template, and such a template cannot be deleted.',
    )
  })
  const templates = createGraphTemplates(desk.graph, desk.clock)
  const { answer } = await ask(desk, by, intent, async (accessToken) => {
    const one = allLanguages ? null : metaId
    const told = await templates.delete(intent.wabaId, accessToken, row.name, one)
    return isGoneAlready(told) ? { kind: 'accepted', value: null, at: desk.clock.now() } : told
  })
  let languages: string[] = []
  const template = await end(desk, by, intent, async (tx) => {
    const gone = await markDeleted(
      tx,
      by.tenantId,
      intent.wabaId,
      row.name,
      allLanguages ? null : row.language,
      afterwards(answer.at),
      desk.clock.now(),
    )
    languages = gone.map(({ language }) => language).sort()
    return { id: row.id, action: 'template.deleted', details: { name: row.name, languages } }
  })
  return { template, languages }
}

/** It was deleted before, perhaps by a call of ours whose answer was lost. */
function isGoneAlready(answer: TemplateAnswer<null>): boolean {
  return answer.kind === 'failed' && answer.outcome.provider?.subcode === 2593002
}

export async function holdTemplate(
  tx: Tx,
  tenantId: string,
  publicTemplateId: string,
): Promise<TemplateRow> {
  const uuid = uuidOf('tpl', publicTemplateId)
  const row = uuid && (await selectTemplate(tx, tenantId, uuid))
  if (!row) throw notFound('TEMPLATE_NOT_FOUND', 'template')
  return row
}

/** The first transaction for a template that is in the mirror. */
async function changed(
  desk: TemplateDesk,
  by: By,
  id: string,
  verb: Intent['verb'],
  what: string[],
  check: (row: TemplateRow) => void,
) {
  let row: TemplateRow | undefined
  let metaId: string | null = null
  const intent = await begin(desk, by, async (tx) => {
    row = await holdTemplate(tx, by.tenantId, id)
    check(row)
    metaId = row.meta_id
    if (metaId === null) {
      throw new AppError(
        'TEMPLATE_NOT_SYNCED',
        409,
        'Meta’s id of this template is not known yet: call POST /api/whatsapp/meta/templates/sync first.',
      )
    }
    const details = { name: row.name, language: row.language, ...(what.length > 0 && { what }) }
    return { verb, wabaId: row.waba_id, subject: publicId('tpl', row.id), details }
  })
  if (!row || metaId === null) throw new Error('bug: an intent without its template')
  return { row, intent, metaId: metaId as string }
}

/** The first transaction: who wants what is on record, and a sync will tell if we cannot. */
async function begin(
  { db, vault, clock }: TemplateDesk,
  by: By,
  describe: (tx: Tx) => Promise<Omit<Intent, 'tokens'>>,
): Promise<Intent> {
  const now = clock.now()
  return db.tenantTransaction(by.tenantId, async (tx) => {
    const wanted = await describe(tx)
    const tokens = await tokensOfWaba(tx, vault, by.tenantId, wanted.wabaId)
    const checkAt = new Date(now.getTime() + checkAfterMs)
    await bringSyncForward(tx, by.tenantId, wanted.wabaId, checkAt, now)
    await recordAct(tx, {
      tenantId: by.tenantId,
      at: now,
      actor: by.actor,
      action: `template.${wanted.verb}_requested`,
      subject: wanted.subject,
      details: wanted.details,
    })
    return { ...wanted, tokens }
  })
}

/** Asks Meta with the first token that it lets in. Throws what it answers otherwise, once that is on record. */
async function ask<Value>(
  desk: TemplateDesk,
  by: By,
  intent: Intent,
  call: (accessToken: string) => Promise<TemplateAnswer<Value>>,
  explainFurther: (failure: TemplateFailure) => TemplateFailure = (failure) => failure,
): Promise<{ answer: Succeeded<Value>; token: string }> {
  let failure = unreadableToken(intent.tokens.length)
  for (const { accessToken } of intent.tokens) {
    if (accessToken === null) continue
    // crash point: templates.recorded-before-call
    const answer = await call(accessToken)
    // crash point: templates.called-before-mirror
    if (answer.kind === 'accepted') return { answer, token: accessToken }
    failure = explainFurther(failureOf(answer, intent.verb))
    if (!failure.isAuth) break
  }
  await keepFailure(desk, by, intent, failure)
  throw failure.error
}

async function keepFailure(
  { db, clock }: TemplateDesk,
  by: By,
  intent: Intent,
  failure: TemplateFailure,
): Promise<void> {
  const now = clock.now()
  const { error } = failure
  const isInDoubt = failure.isUnknown || error.code === 'TEMPLATE_NOT_AT_META'
  await db.tenantTransaction(by.tenantId, async (tx) => {
    if (isInDoubt) await bringSyncForward(tx, by.tenantId, intent.wabaId, now, now)
    if (failure.isAuth) await keepAuthStatus(tx, by.tenantId, intent.wabaId, error, now)
    await recordAct(tx, {
      tenantId: by.tenantId,
      at: now,
      actor: by.actor,
      action: `template.${intent.verb}_failed`,
      subject: intent.subject,
      details: { ...intent.details, error_code: error.code, provider_code: failure.providerCode },
    })
  })
  if (failure.isAuth) await showTemplateAccess(db, by.tenantId, intent.wabaId, error.message)
}

/** The second transaction: the mirror, and what was done. */
async function end(
  { db, clock }: TemplateDesk,
  by: By,
  intent: Intent,
  write: (tx: Tx) => Promise<{ id: string; action: string; details: Record<string, unknown> }>,
): Promise<TemplateRow> {
  const now = clock.now()
  await showTemplateAccess(db, by.tenantId, intent.wabaId, null)
  return db.tenantTransaction(by.tenantId, async (tx) => {
    // First, because it takes the mirror's lock.
    const checkAt = new Date(now.getTime() + checkAfterMs)
    await bringSyncForward(tx, by.tenantId, intent.wabaId, checkAt, now)
    await keepAuthStatus(tx, by.tenantId, intent.wabaId, null, now)
    const { id, action, details } = await write(tx)
    const subject = publicId('tpl', id)
    await recordAct(tx, {
      tenantId: by.tenantId,
      at: now,
      actor: by.actor,
      action,
      subject,
      details: { ...intent.details, ...details },
    })
    return holdTemplate(tx, by.tenantId, subject)
  })
}

/**
 * When Meta does not tell what it has now, the sync that is due anyway does. It was read after the change, and that was
 * made after the row was read: whatever the row knew is older, though the seconds of Meta's clocks may not show it.
 */
async function keepRead(
  desk: TemplateDesk,
  tx: Tx,
  by: By,
  row: TemplateRow,
  answer: TemplateAnswer<MetaTemplate>,
  at: Date,
): Promise<void> {
  const { name, language } = row
  const seen = matching(answer, { name, language })
  if (!seen) return bringSyncForward(tx, by.tenantId, row.waba_id, at, desk.clock.now())
  const later = new Date(Math.max(seen.at.getTime(), row.status_at.getTime()))
  const read = seenNow(desk, { value: seen.value, at: later })
  await upsertSeen(tx, by.tenantId, row.waba_id, [read], noSync(desk))
}

function matching(
  read: TemplateAnswer<MetaTemplate>,
  { name, language }: Pick<MetaTemplate, 'name' | 'language'>,
): { value: MetaTemplate; at: Date } | undefined {
  if (read.kind === 'failed') return undefined
  return read.value.name === name && read.value.language === language ? read : undefined
}

function seenNow({ random }: TemplateDesk, { value, at }: { value: MetaTemplate; at: Date }) {
  return { ...value, id: random.uuid(), at, toldAt: afterwards(at) }
}

const noSync = ({ clock }: TemplateDesk) => ({ syncAttempt: null, now: clock.now() })

/** A listing that was asked for in the same second may be without what was done in it. */
function afterwards(at: Date): Date {
  return new Date(at.getTime() + 1000)
}

async function idOf(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  name: string,
  language: string,
): Promise<string> {
  const filter = { wabaIds: [wabaId], name, language, status: null, category: null, isGone: false }
  const [row] = await selectTemplates(tx, tenantId, filter, null, 1)
  if (!row) throw new Error('bug: a template that was just written is not there')
  return row.id
}

/** As a new template's, but in the style it has. */
function refuseContent(row: TemplateRow, change: TemplateChange): void {
  const [first, ...more] = definitionProblems({
    ...change,
    category: change.category ?? row.category ?? '',
    parameter_format: row.parameter_format ?? 'POSITIONAL',
  }).map(({ path, problem }) => ({ field: fieldName(path), problem }))
  if (!first) return
  throw new AppError('INVALID_TEMPLATE', 400, `${first.field}: ${first.problem}`, {
    details: { fields: [first, ...more].slice(0, 20) },
  })
}
