// Meta accepted an attempt whose answer was lost, nothing told of it in time, and the message was sent again: when the proof
// comes after all, it is kept, counted and told, once.
import { beforeAll, describe, expect, test } from 'vitest'
import { traceLife } from '../../src/ops/trace.ts'
import { expectNone } from '../support/canaries.ts'
import { payload, statusUpdate } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { type Firm, forgetLateAnswer, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

const linesOf = (event: string) =>
  world.gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"${event}"`))

const counted = async () => {
  const { text } = await world.gateway.call('GET', '/metrics', {
    key: 'operator-key-of-alice-000001',
  })
  return Number(/^estafet_duplicates_confirmed_total (\d+)$/m.exec(text)?.[1])
}

/** What Meta held back so far about the n-th that it took for this customer. */
async function hearLate(customer: string, place: number, status: string) {
  const send = world.acceptedFor(customer)[place]
  const { biz_opaque_callback_data } = send ?? {}
  const statuses = [statusUpdate(send?.wamid ?? '', status, { biz_opaque_callback_data })]
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  await world.gateway.deliver(payload({ number, statuses }))
  await world.gateway.drain()
}

async function sendTwice(customer: string): Promise<string> {
  const match = { recipient: customer }
  world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
  world.fault({ fault: 'stuck', after: 'accepted', match })
  const id = await world.send(firm, customer)
  await world.gateway.sendDue()
  await world.sendWhatWaits()
  expect(world.acceptedFor(customer)).toHaveLength(2)
  return id
}

describe('a proof that comes too late', () => {
  test('is kept with the message and the attempt, counted, and told once', async () => {
    const customer = await world.customerOf(firm)
    const before = await counted()
    const id = await sendTwice(customer)
    const [first, second] = world.acceptedFor(customer)
    expect(await world.read(firm, id)).toMatchObject({
      wamid: second?.wamid,
      duplicate_confirmed_at: null,
    })

    await hearLate(customer, 0, 'sent')
    await hearLate(customer, 0, 'delivered')
    await hearLate(customer, 1, 'read')

    expect(await world.read(firm, id)).toMatchObject({
      status: 'read',
      wamid: second?.wamid,
      duplicate_confirmed_at: world.clock.now().toISOString(),
    })
    expect((await counted()) - before).toBe(1)
    const lines = linesOf('duplicate_confirmed').filter((line) => line.includes(id))
    expect(lines).toHaveLength(1)
    expectNone(lines[0], first?.wamid ?? '', customer)
    for (const asked of [id, first?.wamid ?? '', second?.wamid ?? '']) {
      const { life } = await traceLife(world.gateway.db, asked, [])
      expect(life).toContainEqual(
        expect.objectContaining({
          what: expect.stringContaining('duplicate confirmed'),
          details: expect.objectContaining({ wamid: first?.wamid }),
        }),
      )
    }
  })

  test('is told by the next status, if the answer that had it was forgotten', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendTwice(customer)
    const [first, second] = world.acceptedFor(customer)
    await forgetLateAnswer(world.gateway.db, id, first?.wamid ?? '')
    expect((await world.read(firm, id)).duplicate_confirmed_at).toBeNull()

    await hearLate(customer, 0, 'sent')
    await hearLate(customer, 0, 'delivered')

    expect(await world.read(firm, id)).toMatchObject({
      wamid: second?.wamid,
      duplicate_confirmed_at: expect.any(String),
    })
    expect(linesOf('duplicate_confirmed').filter((line) => line.includes(id))).toHaveLength(1)
  })

  test('a first one that failed at Meta is no double', async () => {
    const customer = await world.customerOf(firm)
    const id = await sendTwice(customer)
    await hearLate(customer, 0, 'failed')

    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      wamid: world.acceptedFor(customer)[1]?.wamid,
      duplicate_confirmed_at: null,
    })
    const path = `/api/whatsapp/dlq?message_id=${id}`
    expect((await world.gateway.call('GET', path, { key: firm.key })).json.data).toEqual([])
  })
})

describe('a proof that comes while it is being sent again', () => {
  test('names the message, which takes nothing back; the second acceptance is the double', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    world.simulator.hold({ when: 'after_accepting', match })
    const sending = world.sendWhatWaits()
    await until('it is sent again', () => world.acceptedFor(customer).length === 2)
    await hearLate(customer, 0, 'delivered')
    world.simulator.letGo()
    await sending

    const [first] = world.acceptedFor(customer)
    expect(await world.read(firm, id)).toMatchObject({
      status: 'delivered',
      wamid: first?.wamid,
      attempts: 2,
      duplicate_confirmed_at: expect.any(String),
    })
    expect(linesOf('duplicate_confirmed').filter((line) => line.includes(id))).toHaveLength(1)
  })

  test('one that says failed leaves it to the attempt that is under way', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    world.simulator.hold({ when: 'after_accepting', match })
    const sending = world.sendWhatWaits()
    await until('it is sent again', () => world.acceptedFor(customer).length === 2)
    await hearLate(customer, 0, 'failed')
    world.simulator.letGo()
    await sending

    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      wamid: world.acceptedFor(customer)[1]?.wamid,
      duplicate_confirmed_at: null,
    })
    const path = `/api/whatsapp/dlq?message_id=${id}`
    expect((await world.gateway.call('GET', path, { key: firm.key })).json.data).toEqual([])
  })
})
