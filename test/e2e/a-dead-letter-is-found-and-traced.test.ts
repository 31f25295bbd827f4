// Finding a letter or a message by whatever somebody has of it, and its way from the webhook to the ticks.
import { beforeAll, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../support/canaries.ts'
import { type DeadSends, startDeadSends } from '../support/dead-sends.ts'
import { operatorKey, type TestTenant, tenantANumber } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { seedPerson } from '../support/people.ts'

let world: DeadSends
beforeAll(async () => {
  world = await startDeadSends()
})

const traced = (query: string, { key }: TestTenant = world.a) =>
  world.gateway.call('GET', `/api/whatsapp/trace?${query}`, { key })
const idsOf = ({ json }: { json: { data: { id?: string; message_id: string }[] } }) =>
  json.data.map((one) => one.id ?? one.message_id)
const sought = (text: string) => `q=${encodeURIComponent(text)}`

describe('dead letters', () => {
  test('are found by id, reference, code, name and number, and by nobody else', async () => {
    const letter = await world.deadSend(undefined, { client_reference: 'order 7' })
    const words = [letter.id, letter.message_id, 'order 7', '132001', 'template_not_found']
    for (const word of [...words, '+1 (650) 555-0143', '5550143']) {
      const found = await world.asTenant(world.a, 'GET', `?${sought(word)}`)
      expect(idsOf(found), word).toContain(letter.id)
      const foreign = await world.asTenant(world.b, 'GET', `?${sought(word)}`)
      expect(idsOf(foreign), word).toEqual([])
    }
    expect(idsOf(await world.asTenant(world.a, 'GET', `?${sought('%')}`))).toEqual([])
    expect((await world.operator('GET', `?${sought(letter.message_id)}`)).json.data).toMatchObject([
      {
        id: letter.id,
        reason: 'template',
        provider_code: 132001,
        message_type: 'text',
        contact: { wa_id: '16505550143' },
      },
    ])
  })

  test('are counted by what they died of, and the filters give as many', async () => {
    await world.parkedSend()
    await world.deadSend()
    const counts = await world.asTenant(world.a, 'GET', '/counts')
    expect(counts.json.groups).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ kind: 'unknown', reason: 'unknown' }),
        expect.objectContaining({ kind: 'outbound', reason: 'template' }),
      ]),
    )
    for (const { kind, reason, count } of counts.json.groups) {
      const listed = await world.asTenant(world.a, 'GET', `?kind=${kind}&reason=${reason}`)
      expect(listed.json.data, reason).toHaveLength(count)
      const dry = { filter: { kind, reason }, reason: 'why', dry_run: true }
      const { json } = await world.asTenant(world.a, 'POST', '/discard', dry)
      expect(json.matched, reason).toBe(count)
    }
    const outbound = await world.asTenant(world.a, 'GET', '?direction=outbound')
    expect(outbound.json.data).toHaveLength(counts.json.total)
    expect(idsOf(await world.asTenant(world.a, 'GET', '?direction=inbound'))).toEqual([])
    expect(idsOf(await world.asTenant(world.a, 'GET', '?reason=media'))).toEqual([])
    expect((await world.asTenant(world.b, 'GET', '/counts')).json).toEqual({ total: 0, groups: [] })
  })

  test('decided ones are listed apart, and many are decided by what was typed', async () => {
    const letter = await world.deadSend(undefined, { client_reference: 'only this' })
    const body = { filter: { q: 'only this' }, reason: 'not wanted any more' }
    const { json } = await world.asTenant(world.a, 'POST', '/discard', body)
    expect(json).toMatchObject({ matched: 1, decided: 1, remaining: 0 })
    const decided = await world.asTenant(world.a, 'GET', '?state=decided')
    expect(decided.json.data[0]).toMatchObject({ id: letter.id, state: 'discarded' })
    expect(idsOf(await world.asTenant(world.a, 'GET', ''))).not.toContain(letter.id)
  })

  test('tell who looked and who decided, the latest first', async () => {
    const letter = await world.deadSend()
    await world.operator('GET', `/${letter.id}`)
    await world.operator('POST', `/${letter.id}/discard`, { reason: 'a test' })
    const { json } = await world.asTenant(world.a, 'GET', `/${letter.id}`)
    expect(json.trail).toMatchObject([
      { action: 'dead_letter.inspected' },
      { action: 'dead_letter.discarded', actor: 'alice', reason: 'a test' },
      { action: 'dead_letter.inspected', actor: 'alice' },
    ])
  })
})

const privateText = canary('text of a message').text

describe('a trace', () => {
  test('is found by every name of the message, and only by whose it is', async () => {
    const id = await world.send({ client_reference: 'invoice 88' })
    await world.gateway.sendDue()
    const { wamid, conversation_id } = await world.read(id)
    const trace = await world.gateway.call('GET', `/api/whatsapp/messages/${id}/trace`, {
      key: world.a.key,
    })
    const names = [id, wamid, 'invoice 88', conversation_id, trace.json.trace_id, '16505550143']
    for (const name of names) {
      expect(idsOf(await traced(sought(name))), name).toContain(id)
      expect(idsOf(await traced(sought(name), world.b)), name).not.toContain(id)
      const { json } = await world.gateway.call(
        'GET',
        `/api/admin/whatsapp/trace?${sought(name)}`,
        { key: operatorKey },
      )
      expect(idsOf({ json }), name).toContain(id)
    }
    expect(idsOf(await traced(sought('nothing like it')))).toEqual([])
  })

  test('tells every step in its order, and nothing of what was written', async () => {
    const letter = await world.deadSend(undefined, { text: { body: privateText } })
    await world.asTenant(world.a, 'POST', `/${letter.id}/requeue`, { reason: 'approved by now' })
    await world.gateway.sendDue()
    const { json, text } = await world.gateway.call(
      'GET',
      `/api/whatsapp/messages/${letter.message_id}/trace`,
      { key: world.a.key },
    )
    expect(json.steps.map(({ step }: { step: string }) => step)).toEqual([
      'message_queued',
      'attempt',
      'dead_letter',
      'decided',
      'queued_again',
      'attempt',
    ])
    expect(json.steps[1]).toMatchObject({ outcome: 'permanent', provider_code: 132001 })
    expect(json.steps[3]).toMatchObject({ status: 'requeued', reason: 'approved by now' })
    expect(json.steps[5]).toMatchObject({ outcome: 'accepted', wamid: expect.any(String) })
    expectNone(text, privateText)
    const found = await traced(sought(letter.id))
    expect(idsOf(found)).toEqual([letter.message_id])
  })

  test('begins with the webhook for what came in', async () => {
    const message = textMessage('wamid.traced-in', privateText, {
      timestamp: String(Math.floor(Date.now() / 1000)),
    })
    await world.gateway.deliver(payload({ number: tenantANumber, messages: [message] }))
    await world.gateway.drain()
    const [found] = (await traced(sought('wamid.traced-in'))).json.data
    const { json, text } = await world.gateway.call(
      'GET',
      `/api/whatsapp/messages/${found.message_id}/trace`,
      { key: world.a.key },
    )
    const steps = json.steps.map(({ step }: { step: string }) => step)
    expect(steps[0]).toBe('webhook_received')
    expect(steps).toEqual(expect.arrayContaining(['message_received', 'webhook_processed']))
    expectNone(text, privateText)
  })

  test('is not for agents', async () => {
    const agent = await seedPerson(world.gateway.db, { role: 'agent', tenantId: world.a.id })
    const headers = agent.headers(new URL(world.gateway.url).host)
    const id = await world.send()
    for (const path of ['/trace', `/messages/${id}/trace`, '/dlq', '/dlq/counts']) {
      const answer = await world.gateway.call('GET', `/api/whatsapp${path}`, { headers })
      expect([answer.status, path]).toEqual([403, path])
    }
  })
})
