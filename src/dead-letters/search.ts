// From what a person typed to the letters that it may mean, before anything else is asked of them.
import { sql, type Tx } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'
import type { LetterFilter, LetterState, Scope } from './queries.ts'

/** The latest; whoever matches more says more. */
const atMost = 10_000

/** The same filter, with what was typed as ids. */
export async function narrow(
  tx: Tx,
  scope: Scope,
  states: LetterState[],
  filter: LetterFilter,
): Promise<LetterFilter> {
  if (filter.sought === null) return filter
  const found = await selectSought(tx, scope, states, filter.sought)
  const wanted = filter.ids && new Set(filter.ids)
  return { ...filter, ids: wanted ? found.filter((id) => wanted.has(id)) : found }
}

async function selectSought(
  tx: Tx,
  scope: Scope,
  states: LetterState[],
  text: string,
): Promise<string[]> {
  const name = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  const digits = text.replaceAll(/[\s+().-]/g, '')
  const isNumber = /^\d{3,20}$/.test(digits)
  const number = isNumber ? `%${digits}%` : null
  const metaCode = isNumber && digits.length < 8 ? Number(digits) : null
  const rows = await tx.query(sql<{ id: string }>`
    select d.id
    from dead_letters d
    left join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
    left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    left join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id
    where d.state = any(${states}::text[]) and (${scope}::uuid is null or d.tenant_id = ${scope}::uuid)
      and (d.id = ${uuidOf('dlq', text) ?? null}::uuid or d.message_id = ${uuidOf('msg', text) ?? null}::uuid
        or d.error_code = upper(${text}) or d.phone_number_id = ${text}
        or m.wamid = ${text} or m.client_reference = ${text}
        or coalesce(p.name, c.contact_name) ilike ${name} or p.wa_id like ${number}::text
        or exists (
          select
          from send_attempts a
          where a.tenant_id = d.tenant_id and a.outbox_id = d.outbox_id
            and (a.provider_code = ${metaCode}::int or a.wamid = ${text})))
    order by d.created_at desc
    limit ${atMost}`)
  return rows.map((row) => row.id)
}
