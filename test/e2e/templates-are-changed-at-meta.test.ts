// Creating, editing, unpausing and deleting templates: at Meta first, then in the local copy, with Meta's limits explained.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTemplate } from '../../src/templates/change.ts'
import { expectNone } from '../support/canaries.ts'
import { pngBytes, uploadFile } from '../support/media.ts'
import type { Firm } from '../support/sending.ts'
import {
  holdSync,
  startTemplateWorld,
  type TemplateWorld,
  templatesPath,
} from '../support/templates.ts'

let world: TemplateWorld

beforeAll(async () => {
  world = await startTemplateWorld()
  world.simulator.setGraphSettings({ template_review: { mode: 'manual' } })
})

const body = (text: string) => [{ type: 'BODY', text }]

function create(firm: Firm, more: Record<string, unknown> = {}) {
  const given = { name: 'reminder', language: 'en', category: 'UTILITY', components: body('Hello') }
  return world.gateway.call('POST', templatesPath, { key: firm.key, body: { ...given, ...more } })
}

const edit = ({ key }: Firm, id: string, change: Record<string, unknown>) =>
  world.gateway.call('PATCH', `${templatesPath}/${id}`, { key, body: change })

const remove = ({ key }: Firm, id: string, query = '') =>
  world.gateway.call('DELETE', `${templatesPath}/${id}${query}`, { key })

const read = ({ key }: Firm, id: string) =>
  world.gateway.call('GET', `${templatesPath}/${id}`, { key })

async function acts({ key }: Firm): Promise<string[]> {
  const { json } = await world.gateway.call('GET', '/api/whatsapp/audit?limit=200', { key })
  return json.data
    .map(({ action }: { action: string }) => action)
    .filter((action: string) => action.startsWith('template.'))
    .reverse()
}

describe('creating', () => {
  test('is done at Meta and known here at once, and audited', async () => {
    const firm = await world.createFirm('creates')
    const made = await create(firm, {
      parameter_format: 'named',
      components: [
        { type: 'HEADER', format: 'TEXT', text: 'Your case' },
        {
          type: 'BODY',
          text: 'Dear {{first_name}}, we meet tomorrow.',
          example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mara' }] },
        },
      ],
      message_send_ttl_seconds: 600,
    })

    expect(made.status).toBe(201)
    const atMeta = world.atMeta(firm, 'reminder')
    expect(made.json).toMatchObject({
      name: 'reminder',
      language: 'en',
      meta_id: atMeta.id,
      waba_id: firm.wabaId,
      status: 'PENDING',
      is_sendable: false,
      category: 'UTILITY',
      parameter_format: 'NAMED',
      message_send_ttl_seconds: 600,
    })
    expect(made.json.components).toEqual(atMeta.components)
    expect((await read(firm, made.json.id)).json).toEqual(made.json)
    expect(await acts(firm)).toEqual(['template.create_requested', 'template.created'])

    world.simulator.changeTemplate(atMeta.id, { status: 'APPROVED' })
    await world.hearMeta()
    expect((await read(firm, made.json.id)).json).toMatchObject({
      status: 'APPROVED',
      is_sendable: true,
    })
  })

  test('shows what Meta makes of it: the texts of an authentication template are its own', async () => {
    const firm = await world.createFirm('authenticates')
    const made = await create(firm, {
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
      ],
    })
    expect(made.json.components[0].text).toContain('verification code')
  })

  test('is refused by field before Meta is asked', async () => {
    const firm = await world.createFirm('refused by field')
    const refused = await create(firm, {
      components: [
        { type: 'BODY', text: '{{1}} first' },
        { type: 'FOOTER', text: 'x'.repeat(61) },
      ],
    })
    expect([refused.status, refused.json.error.code]).toEqual([400, 'INVALID_TEMPLATE'])
    expect(refused.json.error.details.fields).toEqual([
      { field: 'components[0].text', problem: 'must not begin or end with a parameter' },
      {
        field: 'components[0].example.body_text',
        problem: 'an example for each parameter: 1',
      },
      { field: 'components[1].text', problem: 'at most 60 characters' },
    ])
    expect(world.simulator.templates(firm.wabaId).some(({ name }) => name === 'reminder')).toBe(
      false,
    )
    expect(await acts(firm)).toEqual([])
  })

  test('of a name that is there, or was until lately, is explained', async () => {
    const firm = await world.createFirm('names')
    const made = await create(firm)
    const again = await create(firm)
    expect([again.status, again.json.error.code]).toEqual([409, 'TEMPLATE_EXISTS'])
    expect(again.json.error.details.provider.subcode).toBe(2388024)
    expect(again.json.error.details.meta_says.title).toContain('Already Exists')
    await remove(firm, made.json.id)
    const blocked = await create(firm)
    expect([blocked.status, blocked.json.error.code]).toEqual([409, 'TEMPLATE_NAME_BLOCKED'])
    expect(blocked.json.error.message).toContain('30 days')
  })

  test.each([
    [{ code: 100, subcode: 2388019 }, 409, 'TEMPLATE_LIMIT_REACHED'],
    [{ code: 100, subcode: 2388072 }, 422, 'TEMPLATE_REFUSED'],
    [{ code: 80008 }, 429, 'PROVIDER_RATE_LIMITED'],
    [{ code: 190 }, 409, 'TEMPLATE_ACCESS_DENIED'],
    [{ code: 10 }, 409, 'TEMPLATE_ACCESS_DENIED'],
    [{ code: 2 }, 502, 'PROVIDER_UNREACHABLE'],
  ])('that Meta answers with %j is answered %i %s', async (error, status, code) => {
    const firm = await world.createFirm('refused by Meta')
    world.faultFor(firm, { fault: 'error', ...error, count: 1 })
    const refused = await create(firm)
    expect([refused.status, refused.json.error.code]).toEqual([status, code])
    expect(refused.json.error.details.provider.code).toBe(error.code)
    expect(await world.named(firm, 'reminder')).toBeUndefined()
    expect(await acts(firm)).toEqual(['template.create_requested', 'template.create_failed'])
  })

  test('whose answer is lost is found by the sync that is due then', async () => {
    const firm = await world.createFirm('lost answer')
    world.faultFor(firm, { fault: 'reset', when: 'after_accepting', count: 1 })
    const lost = await create(firm)
    expect([lost.status, lost.json.error.details.outcome]).toEqual([502, 'unknown'])
    expect(await world.named(firm, 'reminder')).toBeUndefined()

    await world.runDue()
    expect(await world.named(firm, 'reminder')).toMatchObject({ status: 'PENDING' })
  })

  test('after which the process dies is found by the sync that was due before', async () => {
    const firm = await world.createFirm('dies')
    await world.syncNow(firm)
    const { runtime } = world.gateway
    const dying = {
      ...runtime,
      db: runtime.db.api,
      graph: {
        ...runtime.graph,
        ask: async (call: Parameters<typeof runtime.graph.ask>[0]) => {
          await runtime.graph.ask(call)
          throw new Error('the process dies here')
        },
      },
    }
    const wanted = {
      name: 'reminder',
      language: 'en',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL' as const,
      components: body('Hello'),
    }
    const by = { tenantId: firm.id, actor: 'somebody' }
    await expect(createTemplate(dying, by, wanted)).rejects.toThrow('dies here')
    expect(await acts(firm)).toEqual(['template.create_requested'])

    await world.runDue()
    expect(await world.named(firm, 'reminder')).toBeUndefined()
    world.clock.advance(2 * 60_000)
    await world.runDue()
    expect(await world.named(firm, 'reminder')).toMatchObject({ status: 'PENDING' })
  })

  test('is not taken for gone by a listing that was asked for before', async () => {
    const firm = await world.createFirm('creates meanwhile')
    const { sync, reached, go } = holdSync(world)
    const listing = sync.syncNow(firm.id, firm.wabaId)
    await reached
    await create(firm)
    go()

    expect(await listing).toMatchObject({ listed: 4, gone: 0 })
    expect(await world.named(firm, 'reminder')).toMatchObject({ status: 'PENDING' })
  })

  test('needs to be told which account, when there is more than one', async () => {
    const firm = await world.createFirm('two accounts')
    const other = await world.createFirm('other account')
    await world.gateway.call('POST', `/api/admin/tenants/${firm.id}/accounts`, {
      key: 'operator-key-of-alice-000001',
      body: {
        waba_id: other.wabaId,
        phone_number_id: 'second-account',
        display_phone_number: '+1 555-0109',
        access_token: other.accessToken,
      },
    })
    const unclear = await create(firm)
    expect([unclear.status, unclear.json.error.details.fields[0].field]).toEqual([
      400,
      'phone_number_id',
    ])
    const made = await create(firm, { phone_number_id: 'second-account' })
    expect(made.json.waba_id).toBe(other.wabaId)
    expect((await create(firm, { phone_number_id: 'nobodys' })).status).toBe(404)
    expect((await create(firm, { account_id: 'acc_nobodys' })).status).toBe(404)
  })
})

describe('editing', () => {
  test('replaces the content, and its limits are explained', async () => {
    const firm = await world.createFirm('edits')
    await world.syncNow(firm)
    const { id } = await world.named(firm, 'hello_world')
    const edited = await edit(firm, id, { components: body('Welcome back') })
    expect(edited.status).toBe(200)
    expect(edited.json).toMatchObject({ status: 'PENDING', components: body('Welcome back') })
    expect(await acts(firm)).toEqual(['template.edit_requested', 'template.edited'])

    const pending = await edit(firm, id, { components: body('Welcome again') })
    expect([pending.status, pending.json.error.code]).toEqual([409, 'TEMPLATE_NOT_EDITABLE'])
    expect(pending.json.error.message).toContain('reviewing')

    world.simulator.changeTemplate(world.atMeta(firm, 'hello_world').id, { status: 'APPROVED' })
    await world.hearMeta()
    const tooOften = await edit(firm, id, { components: body('Welcome again') })
    expect([tooOften.status, tooOften.json.error.code]).toEqual([409, 'TEMPLATE_NOT_EDITABLE'])
    expect(tooOften.json.error.message).toContain('once in 24 hours')
    const again = new Date(world.clock.now().getTime() + 24 * 60 * 60 * 1000).toISOString()
    expect(tooOften.json.error.details).toMatchObject({
      edits_in_24_hours: 1,
      edits_in_30_days: 1,
      editable_again_at: again,
      meta_says: { text: expect.stringContaining('too often') },
    })
    expect((await read(firm, id)).json.components).toEqual(body('Welcome back'))
  })

  test('cannot change the category of an approved one, nor content in a style it does not have', async () => {
    const firm = await world.createFirm('categories')
    await world.syncNow(firm)
    const order = await world.named(firm, 'order_update')
    const category = await edit(firm, order.id, { category: 'MARKETING' })
    expect([category.status, category.json.error.code]).toEqual([409, 'TEMPLATE_NOT_EDITABLE'])
    expect(category.json.error.message).toContain('category')

    const named = await edit(firm, order.id, { components: body('Dear {{name}}, hello') })
    expect([named.status, named.json.error.code]).toEqual([400, 'INVALID_TEMPLATE'])
    expect(named.json.error.details.fields[0].field).toBe('components[0].text')
    const lifetime = await edit(firm, order.id, { message_send_ttl_seconds: 86_400 })
    expect(lifetime.json.error.details.fields[0].field).toBe('message_send_ttl_seconds')
  })

  test('changes the category of a rejected one', async () => {
    const firm = await world.createFirm('rejected')
    world.seed(firm, 'refused', { status: 'REJECTED' })
    await world.syncNow(firm)
    const { id } = await world.named(firm, 'refused')
    const edited = await edit(firm, id, { category: 'marketing' })
    expect(edited.json).toMatchObject({ category: 'MARKETING', status: 'PENDING' })
  })

  test('of one that Meta no longer has is explained, and the copy is mended', async () => {
    const firm = await world.createFirm('edits what is gone')
    world.seed(firm, 'short_lived')
    await world.syncNow(firm)
    const { id, meta_id } = await world.named(firm, 'short_lived')
    await deleteAtMeta(firm, 'short_lived')
    const gone = await edit(firm, id, { components: body('Too late') })
    expect([gone.status, gone.json.error.code]).toEqual([409, 'TEMPLATE_NOT_AT_META'])
    await world.runDue()
    expect((await read(firm, id)).json.gone_at).not.toBeNull()
    expect(meta_id).not.toBeNull()
  })
})

async function deleteAtMeta(firm: Firm, name: string) {
  const url = `${world.simulator.url}/v24.0/${firm.wabaId}/message_templates?name=${name}`
  const headers = { authorization: `Bearer ${firm.accessToken}` }
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200)
}

describe('unpausing', () => {
  test('lets a paused one be sent again, and no other', async () => {
    const firm = await world.createFirm('unpauses')
    world.seed(firm, 'paused', { status: 'PAUSED' })
    await world.syncNow(firm)
    const { id } = await world.named(firm, 'paused')
    const path = `${templatesPath}/${id}/unpause`
    const first = await world.gateway.call('POST', path, { key: firm.key })
    expect(first.json).toMatchObject({ status: 'APPROVED', is_sendable: true })
    const second = await world.gateway.call('POST', path, { key: firm.key })
    expect([second.status, second.json.error.code]).toEqual([409, 'TEMPLATE_NOT_PAUSED'])
    expect(await acts(firm)).toEqual([
      'template.unpause_requested',
      'template.unpaused',
      'template.unpause_requested',
      'template.unpause_failed',
    ])
  })
})

describe('deleting', () => {
  test('takes one language or all of them, and says how long the name is blocked', async () => {
    const firm = await world.createFirm('deletes')
    for (const language of ['en', 'pt_BR', 'es']) world.seed(firm, 'notice', { language })
    await world.syncNow(firm)
    const [first, second] = await world.list(firm, '&name=notice')

    const one = await remove(firm, first.id)
    expect(one.json).toEqual({
      id: first.id,
      name: 'notice',
      languages: [first.language],
      name_blocked_until: expect.any(String),
    })
    expect(
      world.simulator.templates(firm.wabaId).filter(({ name }) => name === 'notice'),
    ).toHaveLength(2)
    expect((await remove(firm, first.id)).json).toEqual(one.json)
    expect((await read(firm, first.id)).json).toMatchObject({ status: 'PENDING_DELETION' })

    const rest = await remove(firm, second.id, '?all_languages=true')
    const others = ['en', 'es', 'pt_BR'].filter((language) => language !== first.language)
    expect(rest.json.languages).toEqual(others)
    expect(await world.list(firm, '&name=notice')).toEqual([])
    expect(await acts(firm)).toEqual([
      'template.delete_requested',
      'template.deleted',
      'template.delete_requested',
      'template.deleted',
    ])
  })

  test('is not undone by a listing that was asked for before', async () => {
    const firm = await world.createFirm('deletes meanwhile')
    await world.syncNow(firm)
    const { id } = await world.named(firm, 'order_update')
    const { sync, reached, go } = holdSync(world)
    const listing = sync.syncNow(firm.id, firm.wabaId)
    await reached
    await remove(firm, id)
    go()

    expect(await listing).toMatchObject({ listed: 4 })
    expect(await world.named(firm, 'order_update')).toBeUndefined()
  })

  test('of one that Meta deleted before is fine, of a disabled one is refused', async () => {
    const firm = await world.createFirm('deletes twice')
    world.seed(firm, 'disabled', { status: 'DISABLED' })
    await world.syncNow(firm)
    await deleteAtMeta(firm, 'order_update')
    expect((await remove(firm, (await world.named(firm, 'order_update')).id)).status).toBe(200)

    const { id } = await world.named(firm, 'disabled')
    const disabled = await remove(firm, id)
    expect([disabled.status, disabled.json.error.code]).toEqual([409, 'TEMPLATE_NOT_DELETABLE'])
    const all = await remove(firm, id, '?all_languages=true')
    expect(all.json.error.code).toBe('TEMPLATE_NOT_DELETABLE')
  })
})

test('nothing of a token is in what Meta says, nor in the log', async () => {
  const firm = await world.createFirm('secret')
  world.faultFor(firm, {
    fault: 'error',
    code: 190,
    title: `Malformed access token ${firm.accessToken}`,
    details: firm.accessToken,
    count: 1,
  })
  const refused = await create(firm)
  expect(refused.status).toBe(409)
  expectNone(refused.text, firm.accessToken)
  expectNone(world.gateway.logText(), firm.accessToken)
})

describe('a sample for the header', () => {
  const give = ({ key }: Firm, media_id: string) =>
    world.gateway.call('POST', `${templatesPath}/samples`, { key, body: { media_id } })

  test('is an uploaded file, and what Meta makes of it is taken in a new template', async () => {
    const firm = await world.createFirm('samples')
    const given = await give(firm, await uploadFile(world.gateway, firm.key, pngBytes, 'image/png'))
    expect(given).toMatchObject({ status: 200, json: { format: 'IMAGE' } })
    const header = {
      type: 'HEADER',
      format: 'IMAGE',
      example: { header_handle: [given.json.handle] },
    }
    const made = await create(firm, { components: [header, ...body('Hello')] })
    expect(made).toMatchObject({ status: 201, json: { components: [{ format: 'IMAGE' }, {}] } })
  })

  test('of a kind that Meta does not take, of another firm, or of nobody is refused', async () => {
    const [firm, other] = [await world.createFirm('refused'), await world.createFirm('other')]
    const text = await uploadFile(world.gateway, firm.key, Buffer.from('words'), 'text/plain')
    expect(await give(firm, text)).toMatchObject({
      status: 400,
      json: { error: { details: { fields: [{ field: 'media_id' }] } } },
    })
    for (const id of [text, 'med_1']) {
      expect(await give(other, id)).toMatchObject({
        status: 404,
        json: { error: { code: 'MEDIA_NOT_FOUND' } },
      })
    }
  })

  test('that Meta does not let us hand over is told as such', async () => {
    const firm = await world.createFirm('sample denied')
    const id = await uploadFile(world.gateway, firm.key, pngBytes, 'image/png')
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'revoked' })
    expect(await give(firm, id)).toMatchObject({
      status: 409,
      json: { error: { code: 'TEMPLATE_ACCESS_DENIED' } },
    })
  })
})
