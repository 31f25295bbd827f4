// With Cloud Tasks as the doorbell: what follows from something is called for by whoever did it, so that only a loss waits for
// the next sweep.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import {
  type CloudTasksSending,
  startCloudTasksSending,
  taskToken,
} from '../support/cloud-tasks.ts'
import { jpegBytes } from '../support/media.ts'
import { until } from '../support/program.ts'
import { sendRowOf, template } from '../support/sending.ts'

let world: CloudTasksSending

beforeAll(async () => {
  // Nothing counts as lost here, and nobody sweeps.
  world = await startCloudTasksSending({ environment: { TASK_PATIENCE_SECONDS: '3600' } })
})

describe('a send', () => {
  test.each([
    ['in its answer', { fault: 'error' as const, code: 131047 }],
    ['in a status', { fault: 'fail' as const, code: 131047 }],
  ])('that Meta wants as a template, told %s, goes out as one', async (_, fault) => {
    const firm = await world.createFirm('Falls back')
    const customer = await world.customerOf(firm)
    world.fault({ ...fault, match: { recipient: customer }, count: 1 })

    await world.send(firm, customer, { fallback_template: template })

    await until('the template is sent', () => world.postsTo(customer).length === 2)
    await world.idle()
  })

  test('is found by its number, whatever the key says', async () => {
    const firm = await world.createFirm('Any key')
    const { id: drop } = world.cloudTasks.fault({ fault: 'drop' })
    const message = await world.send(firm, await world.customerOf(firm))
    world.cloudTasks.removeFault(drop)
    const { id } = await sendRowOf(world.gateway.db, message)

    const answer = await world.callInternal('/internal/process_outbound', {
      outbox_id: id,
      idempotency_key: '5f0c7d0e-6a53-4f5e-9f0e-0f6f0a1b2c3d',
      correlation_id: '0d9f4b1e-59c2-4a35-8f2e-6f0e4f9f8a11',
    })

    expect(answer.json).toMatchObject({ status: 'sent' })
  })
})

test('an answer is called for, and nothing of other tenants is looked at for it', async () => {
  const { db } = world.gateway
  const bystander = await world.createFirm('Bystander')
  const { id: drop } = world.cloudTasks.fault({ fault: 'drop' })
  const waiting = await world.send(bystander, await world.customerOf(bystander))
  world.cloudTasks.removeFault(drop)
  const { id } = await sendRowOf(db, waiting)
  const ringsOf = async () => {
    const [row] = await db.query(sql<{ ring: number }>`
      select ring from whatsapp_send_outbox where tenant_id = ${bystander.id} and id = ${id}::bigint`)
    return row?.ring
  }
  await db.query(sql`
    update whatsapp_send_outbox set rung_for = null where tenant_id = ${bystander.id} and id = ${id}::bigint`)
  const before = await ringsOf()
  const firm = await world.createFirm('Answers')
  await db.query(sql`
    update whatsapp_accounts set responder = 'echo' where phone_number_id = ${firm.phoneNumberId}`)

  world.simulator.customerWrites('16505550198', {
    phone_number_id: firm.phoneNumberId,
    type: 'text',
    text: { body: 'Is anybody there?' },
  })

  await until('it was answered', () => world.acceptedFor('16505550198').length === 1)
  await world.idle()
  expect(await ringsOf()).toBe(before)
})

test('the file of a message is fetched', async () => {
  const firm = await world.createFirm('Files')
  const { id } = world.simulator.addCustomerFile({
    phone_number_id: firm.phoneNumberId,
    mime_type: 'image/jpeg',
    base64: jpegBytes.toString('base64'),
  })
  world.simulator.customerWrites('16505550199', {
    phone_number_id: firm.phoneNumberId,
    type: 'image',
    image: { id },
  })
  await until('it is there', async () => {
    const list = await world.gateway.call('GET', '/api/whatsapp/messages', { key: firm.key })
    return list.json.data[0]?.media === 'stored'
  })
})

test('a sweep may come with an empty body of any type, as Cloud Scheduler sends it', async () => {
  const answer = await world.gateway.call('POST', '/internal/sweep', {
    headers: {
      'x-internal-token': taskToken,
      'x-sweep-jobs': 'backlog',
      'content-type': 'application/octet-stream',
    },
  })
  expect(answer.status).toBe(200)
})
