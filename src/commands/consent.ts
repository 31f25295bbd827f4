// Who gets nothing more, and what answers by itself, at the command line.
import { accountNamed, changeAccount } from '../accounts/change.ts'
import { accountChange } from '../api/contract.ts'
import { newSuppression, suppressionLift, suppressionsQuery } from '../api/contract-consent.ts'
import { listSuppressions, showSuppression } from '../consent/list.ts'
import { liftSuppression, suppress } from '../consent/suppress.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { publicId } from '../ids.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { readOptions } from './read-options.ts'
import { table } from './text.ts'

interface ListOptions extends TableOptions {
  state?: string
  scope?: string
  because?: string
  phoneNumberId?: string
  q?: string
  limit?: string
  after?: string
}

export async function suppressionList(tenant: string, options: ListOptions): Promise<void> {
  const query = readOptions(
    suppressionsQuery,
    {
      state: options.state,
      scope: options.scope,
      reason: options.because,
      phone_number_id: options.phoneNumberId,
      q: options.q,
      limit: options.limit,
      after: options.after,
    },
    { reason: '--because' },
  )
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const page = await listSuppressions(runtime.db.api, tenantId, query)
    print(options, page, listText(page))
  })
}

type Page = Awaited<ReturnType<typeof listSuppressions>>

function listText({ data, paging }: Page): string {
  if (data.length === 0) return 'Nobody here: every contact may be written to.'
  const rows = data.map(({ contact, ...one }) => [
    one.id,
    contact.wa_id ?? contact.user_id ?? '',
    one.phone_number_id,
    one.scope,
    one.reason,
    one.since,
    one.state === 'active' ? (one.note ?? '') : `lifted ${one.lifted_at} by ${one.lifted_by}`,
  ])
  return [
    table(['ID', 'CONTACT', 'NUMBER', 'WHAT', 'WHY', 'SINCE', ''], rows),
    '',
    ...(paging.next === null ? [] : [`There are more: --after ${paging.next}`]),
    'Next: estafet suppression lift <tenant> <id> --reason "…"',
  ].join('\n')
}

interface AddOptions extends TableOptions {
  phoneNumberId?: string
  to?: string
  recipient?: string
  scope?: string
  reason?: string
}

export async function suppressionAdd(tenant: string, options: AddOptions): Promise<void> {
  const { phoneNumberId, to, recipient, scope } = options
  const body = readOptions(newSuppression, {
    phone_number_id: phoneNumberId,
    to,
    recipient,
    scope,
    reason: options.reason,
  })
  const { reason, ...whom } = body
  const by = { actor, reason: givenReason(reason) }
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const desk = { ...runtime, db: runtime.db.api }
    const made = showSuppression(await suppress(desk, tenantId, whom, by))
    print(options, made, `${made.id}: ${wantsNo[made.scope]}, since ${made.since}.`)
  })
}

const wantsNo = {
  everything: 'nothing more is sent to this contact until they write again',
  marketing: 'no marketing is sent to this contact until they resume',
}

export async function suppressionLiftCommand(
  tenant: string,
  id: string,
  options: TableOptions & { reason?: string },
): Promise<void> {
  const body = readOptions(suppressionLift, { reason: options.reason })
  const by = { actor, reason: givenReason(body.reason) }
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const desk = { ...runtime, db: runtime.db.api }
    const lifted = showSuppression(await liftSuppression(desk, tenantId, id, by))
    print(options, lifted, `${lifted.id} is lifted: the contact may be written to again.`)
  })
}

interface ResponderOptions extends TableOptions {
  text?: string
  reason?: string
}

export async function accountResponder(
  tenant: string,
  account: string,
  responder: string,
  { text, reason, ...options }: ResponderOptions,
): Promise<void> {
  const change = readOptions(
    accountChange,
    { responder, auto_reply_text: text, reason },
    { responder: 'The responder' },
  )
  await withRuntime(async (runtime) => {
    const tenantId = await tenantNamed(runtime, tenant)
    const id = await accountNamed(runtime.db.api, tenantId, account)
    const by = { actor, at: runtime.clock.now() }
    const row = await changeAccount(runtime.db.api, tenantId, id, change, by)
    const shown = { ...row, id: publicId('acc', row.id), created_at: row.created_at.toISOString() }
    print(options, shown, `${row.display_phone_number}: ${does[row.responder]}.`)
  })
}

const does = {
  off: 'nothing answers by itself',
  echo: 'every text is repeated to whoever wrote it',
  auto_reply: 'messages are answered with your text, at most once an hour in a conversation',
}
