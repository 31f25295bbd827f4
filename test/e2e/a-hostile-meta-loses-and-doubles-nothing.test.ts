// The gateway against the simulator at its worst: what Meta's own ledger says was acknowledged is there, once.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { seededRandom } from '../../simulator/time-and-chance.ts'
import { afterFile } from '../support/after-file.ts'
import { seed } from '../support/chance.ts'
import {
  accessTokenOf,
  startTestGateway,
  type TestGateway,
  tenantANumber,
  testSecrets,
} from '../support/gateway.ts'
import { wamidsOf } from '../support/rows.ts'

const messageCount = 80

let simulator: Simulator
let gateway: TestGateway

beforeAll(async () => {
  simulator = await startSimulator({
    appSecret: testSecrets.META_APP_SECRET,
    retryDelaysMs: [5, 20, 50],
    random: seededRandom(String(seed)),
  })
  afterFile(() => simulator.close())
  gateway = await startTestGateway()
  await gateway.createTenant('Firm A', tenantANumber)
  simulator.registerNumber({
    ...tenantANumber,
    display_phone_number: '+1 555-0100',
    access_token: accessTokenOf('Firm A'),
  })
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
})

describe('a hostile Meta', () => {
  test(`loses and doubles nothing (SEED=${seed})`, async () => {
    simulator.startScenario({
      name: 'short-chaos',
      description: 'The webhook chaos of the scenarios, in a second.',
      webhook: { batch_window: '20ms' },
      steps: [
        {
          at: 0,
          faults: [
            { fault: 'duplicate', times: 3, probability: 0.3 },
            { fault: 'reorder', window: '60ms', probability: 0.4 },
            { fault: 'rebatch', window: '80ms', probability: 0.4 },
            { fault: 'late_redelivery', after: '200ms', probability: 0.2 },
            { fault: 'malformed', how: 'truncated', probability: 0.05 },
            { fault: 'malformed', how: 'null_value', probability: 0.05 },
            { fault: 'malformed', how: 'missing_signature', probability: 0.05 },
          ],
        },
      ],
    })
    const { phone_number_id } = tenantANumber
    const written = Array.from({ length: messageCount }, (_, index) =>
      simulator.customerWrites(`1650555${1000 + (index % 9)}`, {
        phone_number_id,
        type: 'text',
        text: `number ${index}`,
      }),
    )
    await simulator.settled()
    await gateway.drain()

    const stored = await wamidsOf(gateway.db)
    expect(stored).toEqual([...written].sort())
    expect(simulator.absent(stored)).toEqual({
      acknowledged_but_absent: [],
      never_seen_by_meta: [],
    })
    // Proof that it was no calm day.
    expect(simulator.ledger().faults.length).toBeGreaterThan(messageCount / 4)
  })
})
