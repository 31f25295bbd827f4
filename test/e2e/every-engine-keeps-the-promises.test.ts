// The promises, told once, and kept by every dispatch and every dedupe store that has a part in them. Every pair of the two tells
// of webhooks and of what is sent once: the store's keys stand before each effect and each POST, and the dispatch calls for both.
// A store knows a send that was given up and begun anew by its keys alone, whoever called for it: every store tells that, and
// every dispatch, but not every pair of them. Order, cap and outage are the queue's, in Postgres, and no store has a part in them: every dispatch tells those
// with one store. What single cases come to is told elsewhere.
import { beforeAll, describe, expect, test } from 'vitest'
import { type EngineWorld, engines, startEngineWorld } from '../support/engines.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { redisHint, redisRuns } from '../support/redis.ts'
import { wamidsOf } from '../support/rows.ts'
import { type Firm, sendRowOf } from '../support/sending.ts'

let number = 0

type Story = (world: EngineWorld, firm: Firm) => Promise<void>

const byEveryPair: Record<string, Story> = {
  async 'a webhook becomes a conversation'(world, firm) {
    const customer = await world.newCustomer(firm, 'Is the blue planter in stock?')

    const get = async (path: string) =>
      (await world.gateway.call('GET', `/api/whatsapp/conversations${path}`, { key: firm.key }))
        .json.data
    const [conversation, ...more] = await get('')
    expect(more).toEqual([])
    expect(conversation).toMatchObject({ contact_wa_id: customer, status: 'open' })
    expect(await get(`/${conversation.id}/messages`)).toMatchObject([
      { direction: 'inbound', content: { text: { body: 'Is the blue planter in stock?' } } },
    ])
  },

  async 'the same webhook has one effect, alone and in other company'(world, firm) {
    const { wabaId, phoneNumberId } = firm
    const message = (name: string) => textMessage(`wamid.${phoneNumberId}-${name}`, name)
    const deliver = (names: string[]) => {
      const body = payload({
        number: { waba_id: wabaId, phone_number_id: phoneNumberId },
        messages: names.map(message),
      })
      // Again until it is taken, as Meta does.
      return until('it is taken', async () => (await world.gateway.deliver(body)).status === 200)
    }
    await Promise.all(Array.from({ length: 10 }, () => deliver(['old'])))
    await world.settle()
    for (const names of [['old'], ['old', 'new'], ['new']]) await deliver(names)
    await world.settle()
    await world.forget()
    for (const names of [['new'], ['new', 'old']]) await deliver(names)
    await world.settle()

    const ours = (await wamidsOf(world.gateway.db)).filter((wamid) =>
      wamid.startsWith(`wamid.${phoneNumberId}-`),
    )
    expect(ours).toEqual([`wamid.${phoneNumberId}-new`, `wamid.${phoneNumberId}-old`])
  },

  async 'a message is sent once and climbs with what Meta reports'(world, firm) {
    const customer = await world.newCustomer(firm)
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, () =>
        world.gateway.call('POST', '/api/whatsapp/meta/send', {
          key: firm.key,
          headers: { 'idempotency-key': 'order-1' },
          body: { to: customer, type: 'text', text: { body: 'It is.' } },
        }),
      ),
    )
    const id = first?.json.message_id
    await world.letWaitsEnd(
      'it is read',
      async () => (await world.read(firm, id)).status === 'read',
    )

    expect(others.map(({ json }) => json)).toEqual(others.map(() => first?.json))
    const [accepted, ...more] = world.acceptedFor(customer)
    expect(more).toEqual([])
    const { status, wamid, timeline } = await world.read(firm, id)
    expect([status, wamid]).toEqual(['read', accepted?.wamid])
    expect(timeline.map((step: { status: string }) => step.status)).toEqual([
      'queued',
      'sent',
      'delivered',
      'read',
    ])
  },

  async 'a reply goes out with the message it answers'(world, firm) {
    const { json } = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    await world.gateway.call('PATCH', `/api/whatsapp/accounts/${json.data[0].id}`, {
      key: firm.key,
      body: { responder: 'echo' },
    })
    const customer = await world.newCustomer(firm, 'anybody there?')
    await world.letWaitsEnd('it is answered', () => world.acceptedFor(customer).length > 0)

    expect(world.acceptedFor(customer)).toMatchObject([
      { request: { text: { body: expect.stringContaining('anybody there?') } } },
    ])
  },

  async 'an answer that got lost does not send twice'(world, firm) {
    const [told = '', silent = ''] = await world.newCustomers(firm, 2)
    world.fault({ fault: 'reset', when: 'after_accepting', match: { recipient: [told, silent] } })
    world.fault({ fault: 'stuck', after: 'accepted', match: { recipient: silent } })
    const id = await world.send(firm, told)
    const parked = await world.send(firm, silent, { delivery: 'at_most_once' })
    await world.settle()
    await world.letWaitsEnd('both are decided on', async () => {
      const states = await Promise.all(
        [id, parked].map(async (one) => (await world.read(firm, one)).status),
      )
      return !states.includes('queued')
    })

    expect([world.acceptedFor(told).length, world.acceptedFor(silent).length]).toEqual([1, 1])
    expect(await world.read(firm, id)).toMatchObject({ status: 'read', attempts: 1 })
    expect(await world.read(firm, parked)).toMatchObject({ status: 'unknown', attempts: 1 })
  },

  async 'what Meta throttles is tried again, and sent once'(world, firm) {
    const customer = await world.newCustomer(firm)
    world.fault({ fault: 'throttle', match: { recipient: customer }, count: 2 })
    const id = await world.send(firm, customer)
    await world.letWaitsEnd('it is sent', () => world.acceptedFor(customer).length > 0)

    expect(world.postsTo(customer)).toHaveLength(3)
    expect(world.acceptedFor(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({ status: 'read', attempts: 3 })
  },
}

const byEveryStore: Record<string, Story> = {
  async 'what never succeeds is a dead letter; requeued it is sent'(world, firm) {
    const [refused = '', unlucky = ''] = await world.newCustomers(firm, 2)
    world.fault({ fault: 'error', code: 131008, match: { recipient: refused }, count: 1 })
    world.fault({ fault: 'error', code: 131000, match: { recipient: unlucky } })
    const ids = [await world.send(firm, refused), await world.send(firm, unlucky)]
    await world.letWaitsEnd('both are given up', async () => {
      const states = await Promise.all(ids.map(async (id) => (await world.read(firm, id)).status))
      return states.every((status) => status === 'failed')
    })
    await world.settle()

    expect([world.postsTo(refused).length, world.postsTo(unlucky).length]).toEqual([1, 8])
    const letters = (await world.gateway.call('GET', '/api/whatsapp/dlq', { key: firm.key })).json
      .data
    expect(letters.map((letter: { message_id: string }) => letter.message_id).sort()).toEqual(
      [...ids].sort(),
    )
    const letter = letters.find((one: { message_id: string }) => one.message_id === ids[0])
    await world.gateway.call('POST', `/api/whatsapp/dlq/${letter.id}/requeue`, {
      key: firm.key,
      body: { reason: 'it is there now' },
    })
    await world.letWaitsEnd('it is sent', () => world.acceptedFor(refused).length > 0)
    expect(await world.read(firm, String(ids[0]))).toMatchObject({ status: 'read', attempts: 2 })
    expect(world.acceptedFor(refused)).toHaveLength(1)
  },
}

const byEveryDispatch: Record<string, Story> = {
  async 'one person gets messages in order, whatever happens to the first'(world, firm) {
    const customer = await world.newCustomer(firm)
    world.fault({ fault: 'throttle', code: 131056, match: { recipient: customer }, count: 1 })
    const bodies = ['1 first', '2 second', '3 third', '4 fourth']
    for (const body of bodies) await world.send(firm, customer, { text: { body } })
    await world.settle()
    expect(world.acceptedFor(customer)).toEqual([])
    const isSent = () => world.acceptedFor(customer).length >= bodies.length
    await world.letWaitsEnd('all are sent', isSent)

    expect(world.acceptedFor(customer).map(({ request }) => textOf(request))).toEqual(bodies)
  },

  async 'no more are under way than the tenant may have'(world, firm) {
    const customers = await world.newCustomers(firm, 6)
    const match = { phone_number_id: firm.phoneNumberId }
    world.fault({ fault: 'slow', delay: 50, match })
    await Promise.all(customers.map((customer) => world.send(firm, customer)))
    await world.letWaitsEnd('all are sent', () =>
      customers.every((customer) => world.acceptedFor(customer).length > 0),
    )

    expect(customers.map((customer) => world.acceptedFor(customer).length)).toEqual(
      customers.map(() => 1),
    )
    expect(world.simulator.mostInFlight()[firm.phoneNumberId]).toBeLessThanOrEqual(2)
  },

  async 'an outage costs waiting and nothing else'(world, firm) {
    const customers = await world.newCustomers(firm, 12)
    const match = { phone_number_id: firm.phoneNumberId }
    const outage = world.simulator.setFault({ fault: 'outage', match })
    const ids = await Promise.all(customers.map((customer) => world.send(firm, customer)))
    await until('its circuit is open', async () => {
      await world.settle()
      return (await circuitsOf(world, firm)) === 1
    })
    // Ten calls show the trouble, and those that were under way with the tenth.
    expect(customers.flatMap(world.postsTo).length).toBeLessThanOrEqual(11)

    world.simulator.removeFault(outage.id)
    await world.letWaitsEnd('all are sent', () =>
      customers.every((customer) => world.acceptedFor(customer).length > 0),
    )
    expect(customers.map((customer) => world.acceptedFor(customer).length)).toEqual(
      customers.map(() => 1),
    )
    for (const id of ids) {
      expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'done' })
    }
    expect(await circuitsOf(world, firm)).toBe(0)
  },
}

const textOf = (request: unknown) => (request as { text: { body: string } }).text.body

async function circuitsOf({ gateway }: EngineWorld, { phoneNumberId }: Firm): Promise<number> {
  const { json } = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
  const open = json.circuits_open as { phone_number_id?: string }[]
  return open.filter((circuit) => circuit.phone_number_id === phoneNumberId).length
}

const hasRedis = redisRuns()

for (const engine of engines) {
  const isSkipped = engine.store === 'redis' && !hasRedis
  const name = `${engine.dispatch} with ${engine.store}`
  describe.skipIf(isSkipped)(isSkipped ? `${name} (skipped: ${redisHint})` : name, () => {
    let world: EngineWorld
    beforeAll(async () => {
      world = await startEngineWorld(engine)
    })

    const stories = {
      ...byEveryPair,
      ...((engine.dispatch === 'postgres' || engine.store === 'postgres') && byEveryStore),
      ...(engine.store === 'postgres' && byEveryDispatch),
    }
    test.each(Object.entries(stories))('%s', async (_title, story) => {
      await story(world, await world.createFirm(`Firm ${++number}`))
    })
  })
}
