// Which WhatsApp Business Account a caller means, by one of its own numbers or accounts.
import { sql, type Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'

export interface WabaChoice {
  account_id?: string | undefined
  phone_number_id?: string | undefined
}

/** Of everything the tenant has, unless the choice names something of it. */
export async function findWabas(tx: Tx, tenantId: string, choice: WabaChoice): Promise<string[]> {
  const accountId =
    choice.account_id === undefined ? null : (uuidOf('acc', choice.account_id) ?? nobody)
  const phoneNumberId = choice.phone_number_id ?? null
  const rows = await tx.query(sql<{ waba_id: string }>`
    select distinct waba_id
    from whatsapp_accounts
    where tenant_id = ${tenantId}
      and (${accountId}::uuid is null or id = ${accountId})
      and (${phoneNumberId}::text is null or phone_number_id = ${phoneNumberId})
    order by waba_id`)
  return rows.map((row) => row.waba_id)
}

/** No account has it. */
const nobody = '00000000-0000-0000-0000-000000000000'

export async function findOneWaba(tx: Tx, tenantId: string, choice: WabaChoice): Promise<string> {
  const [wabaId, another] = await findWabas(tx, tenantId, choice)
  if (wabaId === undefined) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  if (another !== undefined) {
    const problem = 'name it: your numbers are in more than one WhatsApp Business Account'
    throw new AppError('INVALID_REQUEST', 400, `phone_number_id: ${problem}`, {
      details: { fields: [{ field: 'phone_number_id', problem }] },
    })
  }
  return wabaId
}
