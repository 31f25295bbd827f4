// The local copy of templates is filled by full listings: for a new account, on demand, daily, and after any doubt.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { createTemplateSync } from '../../src/templates/sync.ts'
import { operatorKey } from '../support/gateway.ts'
import { patienceMs } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'
import {
  ago,
  holdSync,
  startTemplateWorld,
  type TemplateWorld,
  templatesPath,
} from '../support/templates.ts'

const dayMs = 24 * 60 * 60 * 1000
let world: TemplateWorld

beforeAll(async () => {
  world = await startTemplateWorld()
})

describe('a sync', () => {
  test('lists every page, and what Meta no longer has is gone', async () => {
    const firm = await world.createFirm('many pages')
    for (let count = 0; count < 230; count++) {
      world.seed(firm, `notice_${count}`)
    }

    const first = await world.syncNow(firm)
    expect(first.json.data).toEqual([
      { waba_id: firm.wabaId, listed: 234, added: 234, gone: 0, error: null },
    ])
    const rows = [...(await world.list(firm)), ...(await secondPage(firm))]
    expect(new Set(rows.map(({ name }) => name)).size).toBe(234)
    expect(await world.named(firm, 'order_update')).toMatchObject({
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      is_sendable: true,
      quality: 'UNKNOWN',
      parameter_format: 'POSITIONAL',
      gone_at: null,
    })

    await remove(firm, 'notice_7')
    const second = await world.syncNow(firm)
    expect(second.json.data).toEqual([
      { waba_id: firm.wabaId, listed: 233, added: 0, gone: 1, error: null },
    ])
    expect(await world.named(firm, 'notice_7')).toBeUndefined()
    const [gone] = await world.list(firm, '&gone=true')
    expect(gone).toMatchObject({ name: 'notice_7', is_sendable: false })
    expect(gone.gone_at).not.toBeNull()
  })

  async function secondPage({ key }: Firm) {
    const first = await world.gateway.call('GET', `${templatesPath}?limit=200`, { key })
    const next = `${templatesPath}?limit=200&after=${first.json.paging.next}`
    return (await world.gateway.call('GET', next, { key })).json.data
  }

  /** At Meta, without a webhook. */
  async function remove(firm: Firm, name: string) {
    const url = `${world.simulator.url}/v24.0/${firm.wabaId}/message_templates?name=${name}`
    const answer = await fetch(url, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${firm.accessToken}` },
    })
    expect(answer.status).toBe(200)
  }

  test('that breaks off in the middle takes nothing away, and is tried again', async () => {
    const firm = await world.createFirm('broken off')
    await world.syncNow(firm)
    for (let count = 0; count < 120; count++) {
      world.seed(firm, `later_${count}`)
    }
    await remove(firm, 'order_update')
    // The first page is answered, the second is not.
    world.faultFor(firm, {
      fault: 'error',
      code: 2,
      skip: 1,
      count: 1,
    })

    const broken = await world.syncNow(firm)
    expect([broken.status, broken.json.error.code]).toEqual([502, 'PROVIDER_UNREACHABLE'])
    expect(await world.named(firm, 'order_update')).toBeDefined()
    expect(await world.syncState(firm)).toMatchObject({
      access: 'ok',
      last_error: { code: 'PROVIDER_UNREACHABLE' },
    })
  })

  test('is done for a new account, and then once a day', async () => {
    const firm = await world.createFirm('daily')
    expect(await world.syncState(firm)).toMatchObject({
      state: 'never',
      synced_at: null,
      templates: 0,
    })
    await world.runDue()
    expect(await world.syncState(firm)).toMatchObject({ state: 'waiting', templates: 4 })

    world.seed(firm, 'tomorrow')
    await world.runDue()
    expect(await world.named(firm, 'tomorrow')).toBeUndefined()
    world.clock.advance(dayMs)
    await world.runDue()
    expect(await world.named(firm, 'tomorrow')).toMatchObject({ status: 'APPROVED' })
  })

  test('is done again when a second number of the account is connected', async () => {
    const firm = await world.createFirm('second number')
    await world.runDue()
    world.seed(firm, 'shared')
    world.clock.advance(1000)
    const second = await world.addNumber(firm)
    await world.runDue()

    const query = `&phone_number_id=${second.phoneNumberId}`
    expect((await world.list(firm, query)).map(({ name }) => name)).toContain('shared')
    expect((await world.list(firm)).filter(({ name }) => name === 'shared')).toHaveLength(1)
  })

  test('that lost its turn writes nothing more', async () => {
    const firm = await world.createFirm('lost turn')
    await world.syncNow(firm)
    world.seed(firm, 'too_late')
    const { sync, reached, go } = holdSync(world)

    const slow = sync.syncNow(firm.id, firm.wabaId)
    await reached
    expect(await world.syncState(firm)).toMatchObject({ state: 'running' })
    expect((await world.syncNow(firm)).json.error.code).toBe('TEMPLATE_SYNC_RUNNING')
    // As another process does once the lease has run out.
    await world.gateway.db.query(sql`
      update whatsapp_template_syncs set attempt = attempt + 1 where waba_id = ${firm.wabaId}`)
    go()

    await expect(slow).rejects.toMatchObject({ code: 'TEMPLATE_SYNC_RUNNING' })
    expect(await world.named(firm, 'too_late')).toBeUndefined()
  })

  test('whose process died is taken up by another', async () => {
    const firm = await world.createFirm('died')
    await world.runDue()
    await world.gateway.db.query(sql`
      update whatsapp_template_syncs
      set next_sync_at = null, leased_until = ${new Date(world.clock.now().getTime() + 60_000)}
      where waba_id = ${firm.wabaId}`)
    world.seed(firm, 'after_death')

    await world.runDue()
    expect(await world.named(firm, 'after_death')).toBeUndefined()
    world.clock.advance(60_000)
    await world.runDue()
    expect(await world.named(firm, 'after_death')).toBeDefined()
  })

  test('of a process that stops ends at once, and its turn is free', async () => {
    const firm = await world.createFirm('stops')
    const stopping = new AbortController()
    const { runtime } = world.gateway
    const sync = createTemplateSync({
      ...runtime,
      db: runtime.db.work,
      signal: stopping.signal,
    })
    world.faultFor(firm, { fault: 'hang', count: 1 })
    const listing = sync.syncNow(firm.id, firm.wabaId)
    await expect
      .poll(
        () => world.simulator.ledger().requests.some(({ waba_id }) => waba_id === firm.wabaId),
        { timeout: patienceMs },
      )
      .toBe(true)
    stopping.abort()

    await expect(listing).rejects.toMatchObject({ code: 'TEMPLATE_SYNC_RUNNING' })
    expect(await world.syncState(firm)).toMatchObject({ state: 'never', last_error: null })
    await world.runDue()
    expect(await world.syncState(firm)).toMatchObject({ state: 'waiting', templates: 4 })
  })

  test('that is asked for while one is under way is still owed afterwards', async () => {
    const firm = await world.createFirm('still owed')
    const { sync, reached, go } = holdSync(world)
    const slow = sync.syncNow(firm.id, firm.wabaId)
    await reached
    await world.tellStatus(firm, ago(0), 'FLAGGED')
    go()
    await slow

    const { next_sync_at } = await world.syncState(firm)
    expect(Date.parse(next_sync_at) - world.clock.now().getTime()).toBe(10 * 60_000)
  })

  test('finds what a lost webhook would have told within the hour, while Meta has something to decide', async () => {
    const firm = await world.createFirm('undecided')
    world.seed(firm, 'waiting', { status: 'PENDING' })
    await world.syncNow(firm)
    const { next_sync_at } = await world.syncState(firm)
    expect(Date.parse(next_sync_at) - world.clock.now().getTime()).toBe(60 * 60_000)
  })

  test('is no longer done for an account that was disconnected, whose templates are hidden', async () => {
    const firm = await world.createFirm('disconnected')
    await world.syncNow(firm)
    const template = await world.named(firm, 'order_update')
    const accounts = `/api/admin/tenants/${firm.id}/accounts`
    const { json } = await world.gateway.call('GET', accounts, { key: operatorKey })
    await world.gateway.call('DELETE', `${accounts}/${json.data[0].id}`, { key: operatorKey })

    expect(await world.list(firm)).toEqual([])
    const read = await world.gateway.call('GET', `${templatesPath}/${template.id}`, {
      key: firm.key,
    })
    expect(read.status).toBe(404)
    expect((await world.syncNow(firm)).json.error.code).toBe('ACCOUNT_NOT_FOUND')
  })
})

describe('a token that may not manage templates', () => {
  test('is told apart from sending, which goes on; another token of the account is used', async () => {
    const firm = await world.createFirm('denied')
    const customer = await world.customerOf(firm)
    await world.syncNow(firm)
    world.faultFor(firm, {
      fault: 'error',
      code: 200,
      count: 1,
    })

    const denied = await world.syncNow(firm)
    expect([denied.status, denied.json.error.code]).toEqual([409, 'TEMPLATE_ACCESS_DENIED'])
    expect(denied.json.error.details.provider.code).toBe(200)
    expect(await world.syncState(firm)).toMatchObject({
      access: 'denied',
      last_error: { code: 'TEMPLATE_ACCESS_DENIED' },
    })
    const { json } = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    expect(json.data[0]).toMatchObject({
      auth_status: 'ok',
      templates_auth_status: 'needs_reauth',
      templates_auth_last_error: denied.json.error.message,
    })
    // The permission is there, and yet Meta refused: that is what counts.
    const path = `/api/whatsapp/accounts/${json.data[0].id}/doctor`
    const { json: report } = await world.gateway.call('GET', path, { key: firm.key })
    expect(report.checks).toContainEqual(expect.objectContaining({ name: 'scopes', status: 'ok' }))
    const looked = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    expect(looked.json.data[0].templates_auth_status).toBe('needs_reauth')
    const told = await world.gateway.db.query(sql`
      select
      from events
      where tenant_id = ${firm.id} and data -> 'changed' ? 'templates_auth_status'
        and data ->> 'templates_auth_status' = 'needs_reauth'`)
    expect(told).toHaveLength(1)
    const message = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect((await world.read(firm, message)).status).toBe('sent')

    await world.syncNow(firm)
    expect(await world.syncState(firm)).toMatchObject({ access: 'ok', last_error: null })
    const mended = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    expect(mended.json.data[0]).toMatchObject({
      templates_auth_status: 'ok',
      templates_auth_last_error: null,
    })
  })

  test('is not asked because messaging lost its access, and the other way round', async () => {
    const firm = await world.createFirm('other way round')
    await world.gateway.db.query(sql`
      update whatsapp_accounts set auth_status = 'needs_reauth' where waba_id = ${firm.wabaId}`)
    expect((await world.syncNow(firm)).status).toBe(200)
  })

  test('is tried again as soon as the account has changed', async () => {
    const firm = await world.createFirm('mended')
    world.faultFor(firm, {
      fault: 'error',
      code: 190,
      count: 1,
    })
    await world.runDue()
    expect(await world.syncState(firm)).toMatchObject({ access: 'denied', state: 'never' })
    await world.runDue()
    expect(await world.syncState(firm)).toMatchObject({ access: 'denied' })

    world.clock.advance(1000)
    await world.gateway.db.query(sql`
      update whatsapp_accounts set updated_at = ${world.clock.now()} where waba_id = ${firm.wabaId}`)
    await world.runDue()
    expect(await world.syncState(firm)).toMatchObject({ access: 'ok', state: 'waiting' })
  })
})
