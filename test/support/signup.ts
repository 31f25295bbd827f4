// Firms without a number, business accounts at a simulated Meta, and what a browser would carry between the two.

import { expect } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { createCounter } from './after-file.ts'
import type { Page } from './chromium.ts'
import type { Answer, TestGateway, TestTenant } from './gateway.ts'
import type { Sending } from './sending.ts'

export interface MetaAccount {
  wabaId: string
  phoneNumberId: string
  displayPhoneNumber: string
}

const next = createCounter()

/** A business account with one number that waits to be registered; nobody has a token for it. */
export function createMetaAccount(
  { simulator }: Pick<Sending, 'simulator'>,
  more: { wabaId?: string; isRegistered?: boolean } = {},
): MetaAccount {
  const count = next()
  const place = String(count).padStart(8, '0')
  const wabaId = more.wabaId ?? `88100${place}`
  const phoneNumberId = `88200${place}`
  const displayPhoneNumber = `+1 555-01${String(count).padStart(2, '0')}`
  simulator.registerNumber({
    waba_id: wabaId,
    phone_number_id: phoneNumberId,
    display_phone_number: displayPhoneNumber,
  })
  if (!more.isRegistered) {
    simulator.changeNumber(phoneNumberId, { registered: false, status: 'PENDING' })
  }
  return { wabaId, phoneNumberId, displayPhoneNumber }
}

/** Fails when `text` shows this PIN, or when there is no text. Meta's PINs have six digits, which a random id, a time or a count
 *  may hold by chance: the PIN counts only as a whole number, and only between quotes or after a word that ends in `pin`. */
export function expectNoPin(text: string | undefined, pin: string): void {
  expect(pin).toMatch(/^\d{6}$/)
  expect(text ?? '').not.toBe('')
  const quoted = `["'\`]${pin}\\\\?["'\`]`
  const named = `pin\\W{1,8}(?:\\w{1,8} )?${pin}(?!\\d)`
  expect(text).not.toMatch(new RegExp(`${quoted}|${named}`, 'i'))
}

export const base = '/api/integrations/meta/whatsapp'

export async function start({ gateway }: Pick<Sending, 'gateway'>, tenant: TestTenant) {
  const answer = await gateway.call('POST', `${base}/start`, { key: tenant.key })
  if (answer.status !== 200) throw new Error(`start was answered ${answer.text}`)
  return answer.json as { url: string; id: string; state: string; expires_at: string }
}

export async function reconnect(
  { gateway }: Pick<Sending, 'gateway'>,
  tenant: TestTenant,
  accountId: string,
) {
  const body = { account_id: accountId }
  const answer = await gateway.call('POST', `${base}/reconnect`, { key: tenant.key, body })
  if (answer.status !== 200) throw new Error(`reconnect was answered ${answer.text}`)
  return answer.json as { url: string; state: string }
}

/** What Meta's pop-up gives a page. */
export const codeFor = (
  { simulator }: Pick<Sending, 'simulator'>,
  { wabaId }: Pick<MetaAccount, 'wabaId'>,
  more: Partial<Parameters<Sending['simulator']['issueCode']>[0]> = {},
) => simulator.issueCode({ waba_ids: [wabaId], ...more })

export function callback(
  { gateway }: Pick<Sending, 'gateway'>,
  query: Record<string, string>,
  options: { key?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return gateway.call('GET', `${base}/callback?${new URLSearchParams(query)}`, options)
}

/** From start to callback, as a page would. */
export async function signUp(
  world: Pick<Sending, 'gateway' | 'simulator'>,
  tenant: TestTenant,
  account: MetaAccount,
  more: Parameters<typeof codeFor>[2] = {},
): Promise<Answer> {
  const { state } = await start(world, tenant)
  return callback(world, { state, code: codeFor(world, account, more), ...idsOf(account) })
}

export const idsOf = ({ wabaId, phoneNumberId }: MetaAccount) => ({
  waba_id: wabaId,
  phone_number_id: phoneNumberId,
})

/** From the page of a sign-up to the simulated Meta's dialog, in a browser. */
export async function openDialog(signup: Page): Promise<Page> {
  const { opened } = await signup.popup()
  await signup.click('#connect')
  const dialog = await opened
  await dialog.waitFor('#business')
  return dialog
}

export const choose = (dialog: Page, id: string, value: string) =>
  dialog.evaluate(`(() => {
    const select = document.getElementById('${id}')
    select.value = '${value}'
    select.dispatchEvent(new Event('change'))
  })()`)

export async function chooseNumber(
  { simulator }: Pick<Sending, 'simulator'>,
  dialog: Page,
  { wabaId, phoneNumberId }: Pick<MetaAccount, 'wabaId' | 'phoneNumberId'>,
): Promise<void> {
  const account = simulator.accounts().find(({ waba_id }) => waba_id === wabaId)
  await choose(dialog, 'business', account?.business_id ?? '')
  await choose(dialog, 'account', wabaId)
  await choose(dialog, 'number', phoneNumberId)
}

/** The window may be gone before the click is confirmed. */
export async function agree(dialog: Page): Promise<void> {
  await dialog.waitFor('.primary:not([disabled])')
  await dialog.evaluate(`document.querySelector('.primary').click()`).catch(() => undefined)
}

export async function accountsOf(gateway: TestGateway, { key }: TestTenant) {
  return (await gateway.call('GET', '/api/whatsapp/accounts', { key })).json.data
}

export interface AuditRow {
  actor: string
  action: string
  subject: string
  details: Record<string, unknown>
}

/** Null: of no tenant. */
export function auditOf({ db }: TestGateway, tenantId: string | null): Promise<AuditRow[]> {
  return db.query(sql<AuditRow>`
    select actor, action, subject, details
    from audit_log
    where tenant_id is not distinct from ${tenantId}::uuid
    order by position`)
}
