// What Meta tells of templates changes the local copy at once, in the order of Meta's time: a listing and a webhook never
// undo what is newer.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import {
  ago,
  ahead,
  startTemplateWorld,
  type TemplateWorld,
  templatesPath,
} from '../support/templates.ts'

let world: TemplateWorld

beforeAll(async () => {
  world = await startTemplateWorld()
})

describe('webhooks', () => {
  test('of Meta change status, quality and reason at once', async () => {
    const firm = await world.createFirm('webhooks')
    await world.syncNow(firm)
    const { id } = world.atMeta(firm, 'order_update')

    world.simulator.changeTemplate(id, { status: 'PAUSED' })
    await world.hearMeta()
    expect(await world.named(firm, 'order_update')).toMatchObject({
      status: 'PAUSED',
      status_detail: expect.stringContaining('3 hours'),
      is_sendable: false,
    })
    world.simulator.changeTemplate(id, { status: 'APPROVED' })
    await world.hearMeta()
    expect(await world.named(firm, 'order_update')).toMatchObject({ status: 'APPROVED' })
    world.simulator.changeTemplate(id, { status: 'REJECTED', reason: 'SCAM' })
    await world.hearMeta()
    expect(await world.named(firm, 'order_update')).toMatchObject({
      status: 'REJECTED',
      rejection_reason: 'SCAM',
    })
    await world.tell(firm, ahead(2000), 'message_template_quality_update', {
      previous_quality_score: 'GREEN',
      new_quality_score: 'RED',
    })
    expect(await world.named(firm, 'order_update')).toMatchObject({
      quality: 'RED',
      status: 'REJECTED',
    })
  })

  test('announce a category a day ahead, and then change it', async () => {
    const firm = await world.createFirm('category')
    await world.syncNow(firm)
    await world.tell(firm, ahead(1000), 'template_category_update', {
      new_category: 'UTILITY',
      correct_category: 'MARKETING',
      category_update_timestamp: 1_900_000_000,
    })
    expect(await world.named(firm, 'order_update')).toMatchObject({
      category: 'UTILITY',
      next_category: { category: 'MARKETING', at: '2030-03-17T17:46:40.000Z' },
    })
    await world.tell(firm, ahead(3000), 'template_category_update', {
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    })
    expect(await world.named(firm, 'order_update')).toMatchObject({
      category: 'MARKETING',
      next_category: null,
    })
  })

  test('change texts, and what they do not tell stays', async () => {
    const firm = await world.createFirm('texts')
    await world.syncNow(firm)
    await world.tell(firm, ahead(1000), 'message_template_components_update', {
      message_template_element: 'Hi {{1}}, order {{2}} is on {{3}}.',
      message_template_footer: 'Sete Folhas',
    })
    expect((await world.named(firm, 'order_update')).components).toEqual([
      {
        type: 'BODY',
        text: 'Hi {{1}}, order {{2}} is on {{3}}.',
        example: { body_text: [['Mara', '88231']] },
      },
      { type: 'FOOTER', text: 'Sete Folhas' },
    ])
  })

  test('of a template that is not known yet make it known, and a sync brings the rest', async () => {
    const firm = await world.createFirm('unknown yet')
    await world.tellStatus(firm, ago(0), 'APPROVED', { message_template_category: 'UTILITY' })
    expect(await world.named(firm, 'order_update')).toMatchObject({
      status: 'APPROVED',
      category: 'UTILITY',
      components: null,
      synced_at: null,
    })
    await world.syncNow(firm)
    expect((await world.named(firm, 'order_update')).components).toHaveLength(1)
  })

  test('that are older than a sync do not undo it', async () => {
    const firm = await world.createFirm('older webhook')
    await world.syncNow(firm)
    await world.tellStatus(firm, ago(5 * 60_000), 'PAUSED')
    await world.tell(firm, ago(5 * 60_000), 'template_category_update', {
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    })
    await world.tell(firm, ago(5 * 60_000), 'message_template_quality_update', {
      new_quality_score: 'RED',
    })
    await world.tell(firm, ago(5 * 60_000), 'message_template_components_update', {
      message_template_element: 'Something old',
    })
    const template = await world.named(firm, 'order_update')
    expect(template).toMatchObject({ status: 'APPROVED', category: 'UTILITY', quality: 'UNKNOWN' })
    expect(template.components[0].text).toBe('Hi {{1}}, order {{2}} has shipped.')
  })

  test('that are newer than a sync are not undone by it', async () => {
    const firm = await world.createFirm('newer webhook')
    await world.syncNow(firm)
    await world.tellStatus(firm, ahead(5 * 60_000), 'PAUSED')
    await world.tell(firm, ahead(5 * 60_000), 'template_category_update', {
      previous_category: 'UTILITY',
      new_category: 'MARKETING',
    })
    await world.syncNow(firm)
    expect(await world.named(firm, 'order_update')).toMatchObject({
      status: 'PAUSED',
      category: 'MARKETING',
    })
  })

  test('count by the time they tell, not by when they come', async () => {
    const firm = await world.createFirm('reordered')
    await world.syncNow(firm)
    await world.tellStatus(firm, ahead(120_000), 'APPROVED')
    await world.tellStatus(firm, ahead(60_000), 'PAUSED')
    expect(await world.named(firm, 'order_update')).toMatchObject({ status: 'APPROVED' })
  })

  test('of the very second in which somebody edits come before the edit', async () => {
    const firm = await world.createFirm('edits at once')
    await world.syncNow(firm)
    world.simulator.setGraphSettings({ template_review: { mode: 'manual' } })
    world.simulator.changeTemplate(world.atMeta(firm, 'order_update').id, { status: 'REJECTED' })
    await world.hearMeta()
    const { id, status } = await world.named(firm, 'order_update')
    expect(status).toBe('REJECTED')
    const components = [{ type: 'BODY', text: 'It is on its way.' }]
    const edited = await world.gateway.call('PATCH', `${templatesPath}/${id}`, {
      key: firm.key,
      body: { components },
    })
    expect(edited.json).toMatchObject({ status: 'PENDING', components })
  })

  test('of the second in which a listing was asked for are newer than it', async () => {
    const firm = await world.createFirm('same second')
    await world.syncNow(firm)
    const [row] = await world.gateway.db.query(sql<{ at: Date }>`
      select status_at as at from whatsapp_templates
      where waba_id = ${firm.wabaId} and name = 'order_update'`)
    await world.tellStatus(firm, row?.at ?? ago(0), 'PAUSED')
    expect(await world.named(firm, 'order_update')).toMatchObject({ status: 'PAUSED' })
  })

  test('of a template that a listing was too early for keep it from being gone', async () => {
    const firm = await world.createFirm('too early')
    await world.syncNow(firm)
    await world.tellStatus(firm, ahead(60_000), 'APPROVED', { message_template_name: 'brand_new' })
    await world.syncNow(firm)
    expect(await world.named(firm, 'brand_new')).toMatchObject({
      status: 'APPROVED',
      gone_at: null,
    })

    await world.tellStatus(firm, ago(60_000), 'APPROVED', { message_template_name: 'long_gone' })
    await world.syncNow(firm)
    expect(await world.named(firm, 'long_gone')).toBeUndefined()
  })

  test('of a deleted one stop it at once', async () => {
    const firm = await world.createFirm('deleted there')
    await world.syncNow(firm)
    await world.tellStatus(firm, ahead(1000), 'PENDING_DELETION', { reason: null })
    expect(await world.named(firm, 'order_update')).toMatchObject({
      status: 'PENDING_DELETION',
      is_sendable: false,
    })
    await world.tellStatus(firm, ahead(3000), 'DELETED')
    expect(await world.named(firm, 'order_update')).toBeUndefined()
  })

  test('with words or names that nobody knows break nothing', async () => {
    const firm = await world.createFirm('odd words')
    await world.syncNow(firm)
    await world.tellStatus(firm, ahead(1000), 'TELEPORTED')
    await world.tellStatus(firm, ahead(1000), 'PAUSED', { message_template_name: 'x'.repeat(5000) })
    await world.tellStatus(firm, ahead(1000), 'PAUSED', { message_template_name: { a: 1 } })
    await world.tellStatus(firm, ahead(1000), 'PAUSED', { message_template_language: null })
    expect(await world.named(firm, 'order_update')).toMatchObject({ status: 'APPROVED' })
    const dead = await world.gateway.call('GET', '/api/whatsapp/dlq', { key: firm.key })
    expect(dead.json.data).toEqual([])
  })

  test('concern each tenant that has a number in the account, and nobody else', async () => {
    const firm = await world.createFirm('shares')
    const other = await world.createFirm('shared with')
    await world.gateway.db.query(sql`
      update whatsapp_accounts set waba_id = ${firm.wabaId} where tenant_id = ${other.id}`)
    const stranger = await world.createFirm('stranger')
    await world.syncNow(firm)
    await world.syncNow(stranger)
    await world.tellStatus(firm, ahead(1000), 'PAUSED')

    expect(await world.named(firm, 'order_update')).toMatchObject({ status: 'PAUSED' })
    expect(await world.named(other, 'order_update')).toMatchObject({ status: 'PAUSED' })
    expect(await world.named(stranger, 'order_update')).toMatchObject({ status: 'APPROVED' })
  })
})
