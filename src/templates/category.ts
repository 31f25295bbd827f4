// What a template is for, as Meta sees it: marketing may be refused by people who still want the rest.
import { sql, type Tx } from '../db/connect.ts'

/** `MARKETING`, `UTILITY`, `AUTHENTICATION`, or what Meta invents next; null when the mirror does not know. */
export async function templateCategory(
  tx: Tx,
  tenantId: string,
  wabaId: string,
  name: string,
  language: string,
): Promise<string | null> {
  const [row] = await tx.query(sql<{ category: string | null }>`
    select category
    from whatsapp_templates
    where tenant_id = ${tenantId} and waba_id = ${wabaId} and name = ${name} and language = ${language}`)
  return row?.category ?? null
}
