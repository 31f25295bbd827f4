// Whoever says stop gets no more: not what is sent later, not what waits, not what is tried again; until they write again or
// resume.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Consenting, marketing, startConsenting, utility, wamid } from '../support/consent.ts'
import { operatorKey } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Firm, openWindows } from '../support/sending.ts'

let world: Consenting
let firm: Firm

beforeAll(async () => {
  world = await startConsenting()
  firm = world.firm
})

const conversationOf = async (customer: string) =>
  (await world.gateway.call('GET', `/api/whatsapp/conversations?q=${customer}`, { key: firm.key }))
    .json.data[0]

describe('marketing stopped in WhatsApp', () => {
  test('marketing templates are refused and ended; everything else goes on', async () => {
    const customer = await world.customerOf(firm)
    const promo = await world.send(firm, customer, marketing)
    const scheduled = await world.send(firm, customer, {
      ...marketing,
      send_at: world.later(3_600_000),
    })
    const order = await world.send(firm, customer, utility)
    const text = await world.send(firm, customer)
    const at = world.seconds()
    await world.prefer(customer, 'stop')

    await world.expectEnded(promo)
    await world.expectEnded(scheduled)
    const refused = await world.trySend(customer, marketing)
    expect(refused.status).toBe(409)
    expect(refused.json.error).toMatchObject({
      code: 'RECIPIENT_SUPPRESSED',
      details: {
        scope: 'marketing',
        reason: 'user_preferences',
        since: new Date(at * 1000).toISOString(),
      },
    })
    expect(await world.statusOf(customer, utility)).toBe(202)
    expect(await world.statusOf(customer)).toBe(202)
    await world.gateway.sendDue()
    expect((await world.read(firm, order)).status).toBe('sent')
    expect((await world.read(firm, text)).status).toBe('sent')
    expect(world.acceptedFor(customer).map((send) => send.type)).toEqual([
      'template',
      'text',
      'template',
      'text',
    ])
    expect((await conversationOf(customer)).suppressions).toMatchObject([
      { scope: 'marketing', reason: 'user_preferences', since: new Date(at * 1000).toISOString() },
    ])

    // Writing is no wish for advertisements.
    await world.write(customer, 'hello')
    expect(await world.statusOf(customer, marketing)).toBe(409)
    await world.prefer(customer, 'resume')
    expect(await world.statusOf(customer, marketing)).toBe(202)
    expect((await conversationOf(customer)).suppressions).toEqual([])
  })

  test('from this number, of this contact alone', async () => {
    const [customer, neighbour] = [await world.customerOf(firm), await world.customerOf(firm)]
    const elsewhere = await world.addNumber(firm)
    const waiting = await world.send(elsewhere, customer, marketing)
    await world.prefer(customer, 'stop')

    expect(await world.statusOf(customer, marketing)).toBe(409)
    expect(await world.statusOf(neighbour, marketing)).toBe(202)
    expect(await world.statusOf(customer, marketing, elsewhere)).toBe(202)
    expect((await world.read(firm, waiting)).status).toBe('queued')
  })

  test('the latest word counts, whatever order they come in, however often', async () => {
    const customer = await world.customerOf(firm)
    const at = world.seconds()
    await world.prefer(customer, 'resume', at + 20)
    await world.prefer(customer, 'stop', at + 10)
    expect(await world.statusOf(customer, marketing)).toBe(202)

    await world.prefer(customer, 'stop', at + 30)
    await world.prefer(customer, 'resume', at + 25)
    await world.prefer(customer, 'stop', at + 30)
    expect(await world.statusOf(customer, marketing)).toBe(409)
    const [row, ...more] = await world.suppressions(`q=${customer}`)
    expect(more).toEqual([])
    expect(row).toMatchObject({ since: new Date((at + 30) * 1000).toISOString() })

    // Of one second, the one that came later.
    await world.prefer(customer, 'resume', at + 30)
    expect(await world.statusOf(customer, marketing)).toBe(202)
    expect(await world.suppressions(`q=${customer}`)).toEqual([])
    expect(await world.suppressions(`q=${customer}&state=lifted`)).toMatchObject([
      { id: row.id, state: 'lifted', lifted_by: 'contact' },
    ])
  })

  test('other wishes, and words that are none, change nothing', async () => {
    const customer = await world.customerOf(firm)
    await world.prefer(customer, 'signup')
    await world.tell('user_preferences', {
      user_preferences: [{ wa_id: customer, category: 'other', value: 'stop', timestamp: 1 }],
    })
    expect(await world.statusOf(customer, marketing)).toBe(202)
  })
})

describe('Meta refuses', () => {
  beforeEach(() => world.catchUp())

  /** Wrote an hour ago: Meta's clock is not ours, and what it says must be later than that. */
  async function customerOf(by: Firm): Promise<string> {
    const customer = String(16505570000 + ++customers)
    await openWindows(world.gateway, by, [customer], new Date(Date.parse(world.later(-3_600_000))))
    return customer
  }
  let customers = 0

  /** A second after Meta refused, by Meta's clock. */
  async function afterIt(customer: string): Promise<number> {
    const [row] = await world.suppressions(`q=${customer}`)
    return Date.parse(row.since) / 1000 + 1
  }

  test.each([
    ['in a status', { fault: 'fail' as const, code: 131050 }],
    ['in its answer', { fault: 'error' as const, code: 131050 }],
  ])('%s, because marketing is stopped: no more of it', async (_, fault) => {
    const customer = await customerOf(firm)
    world.fault({ ...fault, match: { recipient: customer }, count: 1 })
    await world.send(firm, customer, marketing)
    const scheduled = await world.send(firm, customer, {
      ...marketing,
      send_at: world.later(3_600_000),
    })
    const text = await world.send(firm, customer, { send_at: world.later(3_600_000) })
    await world.gateway.sendDue()
    await world.hearMeta()

    await world.expectEnded(scheduled)
    expect((await world.read(firm, text)).status).toBe('queued')
    expect(await world.suppressions(`q=${customer}`)).toMatchObject([
      { scope: 'marketing', reason: 'marketing_refused', state: 'active' },
    ])
    expect(await world.statusOf(customer, marketing)).toBe(409)
    await world.prefer(customer, 'resume', await afterIt(customer))
    expect(await world.statusOf(customer, marketing)).toBe(202)
  })

  test('a refusal that is older than the resume is history', async () => {
    const customer = await customerOf(firm)
    world.fault({ fault: 'fail', code: 131050, match: { recipient: customer }, count: 1 })
    const id = await world.send(firm, customer, marketing)
    await world.gateway.sendDue()
    await world.prefer(customer, 'resume', world.seconds() + 300)
    await world.hearMeta()
    expect(await world.read(firm, id)).toMatchObject({ error: { provider: { code: 131050 } } })
    expect(await world.statusOf(customer, marketing)).toBe(202)
  })

  test.each([
    ['in a status', { fault: 'fail' as const, code: 130403 }],
    ['in its answer', { fault: 'error' as const, code: 130403 }],
  ])('%s, because the contact is blocked: nothing until they write again', async (_, fault) => {
    const customer = await customerOf(firm)
    world.fault({ ...fault, match: { recipient: customer }, count: 1 })
    await world.send(firm, customer)
    const scheduled = await world.send(firm, customer, {
      ...utility,
      send_at: world.later(3_600_000),
    })
    await world.gateway.sendDue()
    await world.hearMeta()

    await world.expectEnded(scheduled)
    expect((await world.trySend(customer, utility)).json.error).toMatchObject({
      code: 'RECIPIENT_SUPPRESSED',
      details: { scope: 'everything', reason: 'blocked' },
    })
    await world.write(customer, 'I am back', { at: await afterIt(customer) })
    expect(await world.statusOf(customer, utility)).toBe(202)
  })

  test('whoever cannot be reached (131026) has not said no', async () => {
    const customer = await customerOf(firm)
    world.fault({ fault: 'fail', code: 131026, match: { recipient: customer }, count: 1 })
    const id = await world.send(firm, customer, marketing)
    await world.gateway.sendDue()
    await world.hearMeta()
    expect(await world.read(firm, id)).toMatchObject({ error: { provider: { code: 131026 } } })
    expect(await world.suppressions(`q=${customer}&state=all`)).toEqual([])
    expect(await world.statusOf(customer, marketing)).toBe(202)
  })
})

describe('a stop word', () => {
  test('ends everything until they write again', async () => {
    const customer = await world.customerOf(firm)
    const waiting = [
      await world.send(firm, customer),
      await world.send(firm, customer, utility),
      await world.send(firm, customer, { send_at: world.later(3_600_000) }),
    ]
    const wamid = await world.write(customer, '¡Basta!')

    for (const id of waiting) await world.expectEnded(id)
    for (const more of [{}, utility, marketing])
      expect(await world.statusOf(customer, more)).toBe(409)
    const conversation = await conversationOf(customer)
    expect(conversation.suppressions).toMatchObject([
      { scope: 'everything', reason: 'stop_word', id: expect.stringMatching(/^sup_/) },
    ])
    await world.sendWhatWaits()
    expect(world.postsTo(customer)).toEqual([])

    await world.write(customer, 'STOP')
    expect(await world.statusOf(customer)).toBe(409)
    await world.tell('smb_message_echoes', {
      message_echoes: [
        { ...textMessage('wamid.echo-1', 'call us', { from: '15550100', to: customer }) },
      ],
    })
    const reaction = { message_id: wamid, emoji: '👎' }
    await world.write(customer, '', { type: 'reaction', text: undefined, reaction })
    expect(await world.statusOf(customer)).toBe(409)

    await world.write(customer, 'Stop by tomorrow, please')
    expect(await world.statusOf(customer)).toBe(202)
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.suppressions(`q=${customer}&state=all`)).toMatchObject([
      { state: 'lifted', lifted_by: 'contact', reason: 'stop_word' },
    ])
  })

  test.each([
    ['a button', { type: 'button', button: { text: 'Stop', payload: 'X' } }],
    [
      'a choice',
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Unsubscribe' } },
      },
    ],
    [
      'an edit',
      {
        type: 'edit',
        edit: {
          original_message_id: 'wamid.before',
          message: { type: 'text', text: { body: 'Berhenti' } },
        },
      },
    ],
  ])('may come as %s', async (_, more) => {
    const customer = await world.customerOf(firm)
    await world.write(customer, '', { ...more, text: undefined })
    expect(await world.statusOf(customer)).toBe(409)
  })

  test('is none in a reaction, in an echo, in the past, in a caption, in a group', async () => {
    const customer = await world.customerOf(firm)
    const text = undefined
    const reaction = { message_id: 'wamid.1', emoji: 'stop' }
    await world.write(customer, '', { type: 'reaction', text, reaction })
    await world.write(customer, '', { type: 'image', text, image: { id: '1', caption: 'stop' } })
    await world.write(customer, 'stop', { group_id: 'GROUP1' })
    await world.tell('smb_message_echoes', {
      message_echoes: [
        { ...textMessage('wamid.echo-2', 'stop', { from: '15550100', to: customer }) },
      ],
    })
    await world.tell('history', {
      history: [
        {
          metadata: { phase: 0, chunk_order: 1, progress: 1 },
          threads: [
            { id: customer, messages: [textMessage('wamid.past-1', 'stop', { from: customer })] },
          ],
        },
      ],
    })
    expect(await world.suppressions(`q=${customer}&state=all`)).toEqual([])
    expect(await world.statusOf(customer)).toBe(202)
  })

  test('that comes after what they wrote later is over', async () => {
    const customer = await world.customerOf(firm)
    const at = world.seconds()
    await world.write(customer, 'hello again', { at: at + 10 })
    await world.write(customer, 'stop', { at: at + 5 })
    expect(await world.statusOf(customer)).toBe(202)

    await world.write(customer, 'stop', { at: at + 20 })
    await world.write(customer, 'what I wrote before it', { at: at + 15 })
    expect(await world.statusOf(customer)).toBe(409)

    // In one delivery, and of one second: as they stand there.
    const said = (body: string) =>
      textMessage(wamid(), body, { from: customer, timestamp: String(at + 30) })
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    await world.gateway.deliver(payload({ number, messages: [said('stop'), said('no, go on')] }))
    await world.gateway.drain()
    expect(await world.statusOf(customer)).toBe(202)
    await world.gateway.deliver(payload({ number, messages: [said('go on'), said('no, stop')] }))
    await world.gateway.deliver(payload({ number, messages: [said('stop')] }))
    await world.gateway.drain()
    expect(await world.statusOf(customer)).toBe(409)
  })

  test('of one’s own takes the place of ours', async () => {
    const other = await world.createFirm('Firm B')
    const change = (stop_words: unknown) =>
      world.gateway.call('PATCH', `/api/admin/tenants/${other.id}`, {
        key: operatorKey,
        body: { stop_words },
      })
    expect((await change(['Enough now'])).json.stop_words).toEqual(['Enough now'])
    const customer = await world.customerOf(other)
    await world.write(customer, 'stop', { by: other })
    expect(await world.statusOf(customer, {}, other)).toBe(202)
    await world.write(customer, 'enough, NOW!', { by: other })
    expect(await world.statusOf(customer, {}, other)).toBe(409)
    await change(null)
    await world.write(customer, 'stop', { by: other })
    expect(await world.statusOf(customer, {}, other)).toBe(409)
  })
})
