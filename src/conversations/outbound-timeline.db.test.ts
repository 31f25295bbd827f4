import { beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { insertOutbound } from '../../test/support/outbound.ts'
import { payload, statusUpdate } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'
import { publicId } from '../ids.ts'

let gateway: TestGateway
let key: string
let tenantId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  ;({ id: tenantId, key } = await gateway.createTenant('Firm A', tenantANumber))
})

const acceptedAt = '2026-03-01T12:00:01.500Z'
const endedAt = '2026-03-01T12:00:05.500Z'

interface Fate {
  status: string
  wamid?: string
  acceptedAt?: string
  endedAt?: string
  /** What Meta reported. */
  steps?: [status: string, at: number][]
}

async function timelineOf({ status, wamid, steps = [], ...times }: Fate) {
  const id = await insertOutbound(gateway.db, { tenantId, wamid: wamid ?? null, status })
  await gateway.db.query(sql`
    update whatsapp_messages
    set accepted_at = ${times.acceptedAt ?? null}, ended_at = ${times.endedAt ?? null}
    where id = ${id}`)
  const statuses = steps.map(([step, at]) =>
    statusUpdate(wamid ?? '', step, { timestamp: `${at}` }),
  )
  if (statuses.length > 0) await gateway.deliver(payload({ statuses }))
  await gateway.drain()
  const path = `/api/whatsapp/messages/${publicId('msg', id)}`
  const { json } = await gateway.call('GET', path, { key })
  expect(json.timeline[0]).toEqual({ status: 'queued', at: json.created_at })
  return json.timeline.slice(1)
}

describe('the timeline of a message that we send', () => {
  test('has only its beginning while it waits', async () => {
    expect(await timelineOf({ status: 'queued' })).toEqual([])
  })

  test('sent is when Meta accepted it, until Meta tells itself', async () => {
    expect(await timelineOf({ status: 'sent', wamid: 'wamid.1', acceptedAt })).toEqual([
      { status: 'sent', at: acceptedAt },
    ])
    const steps: Fate['steps'] = [['sent', 1788300100]]
    expect(await timelineOf({ status: 'sent', wamid: 'wamid.2', acceptedAt, steps })).toEqual([
      { status: 'sent', at: new Date(1788300100_000).toISOString() },
    ])
  })

  test.each(['failed', 'unknown', 'cancelled'])('%s is when it ended', async (status) => {
    expect(await timelineOf({ status, endedAt })).toEqual([{ status, at: endedAt }])
  })

  test('accepted and then failed: both, and the failure once', async () => {
    const steps: Fate['steps'] = [['failed', 1788300100]]
    const fate = { status: 'sent', wamid: 'wamid.3', acceptedAt, endedAt, steps }
    expect(await timelineOf(fate)).toEqual([
      { status: 'sent', at: acceptedAt },
      { status: 'failed', at: new Date(1788300100_000).toISOString() },
    ])
  })

  test('given up as unknown, and delivered after all: what Meta told', async () => {
    const steps: Fate['steps'] = [
      ['sent', 1788300100],
      ['delivered', 1788300101],
    ]
    const fate = { status: 'unknown', wamid: 'wamid.4', acceptedAt, endedAt, steps }
    expect(await timelineOf(fate)).toMatchObject([{ status: 'sent' }, { status: 'delivered' }])
  })
})
