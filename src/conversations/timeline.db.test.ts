import { beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { insertOutbound } from '../../test/support/outbound.ts'
import { payload, statusUpdate } from '../../test/support/payloads.ts'
import { publicId } from '../ids.ts'

let gateway: TestGateway
let key: string
let tenantId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  const tenant = await gateway.createTenant('Firm A', tenantANumber)
  key = tenant.key
  tenantId = tenant.id
})

async function readAfter(wamid: string, steps: [status: string, at: number][]) {
  const id = await insertOutbound(gateway.db, { tenantId, wamid })
  const statuses = steps.map(([status, at]) => statusUpdate(wamid, status, { timestamp: `${at}` }))
  await gateway.deliver(payload({ statuses }))
  await gateway.drain()
  return gateway.call('GET', `/api/whatsapp/messages/${publicId('msg', id)}`, { key })
}

describe('the timeline of a message', () => {
  test('begins when it was queued, and has one entry per status it reached, by Meta’s clock', async () => {
    const answer = await readAfter('wamid.1', [
      ['read', 1788300300],
      ['sent', 1788300100],
      ['delivered', 1788300200],
    ])

    expect(answer.json.status).toBe('read')
    expect(answer.json.timeline).toEqual([
      { status: 'queued', at: answer.json.created_at },
      { status: 'sent', at: new Date(1788300100_000).toISOString() },
      { status: 'delivered', at: new Date(1788300200_000).toISOString() },
      { status: 'read', at: new Date(1788300300_000).toISOString() },
    ])
  })

  test('says queued once, also when Meta says it', async () => {
    const answer = await readAfter('wamid.2', [
      ['queued', 1788300100],
      ['sent', 1788300101],
    ])

    expect(answer.json.timeline.map((entry: { status: string }) => entry.status)).toEqual([
      'queued',
      'sent',
    ])
  })

  test('keeps the order of the ladder for steps of the same second', async () => {
    const answer = await readAfter('wamid.3', [
      ['played', 1788300100],
      ['read', 1788300100],
      ['delivered', 1788300100],
      ['sent', 1788300100],
    ])

    expect(answer.json.timeline.map((entry: { status: string }) => entry.status)).toEqual([
      'queued',
      'sent',
      'delivered',
      'read',
      'played',
    ])
  })
})
