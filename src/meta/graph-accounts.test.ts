import { beforeAll, expect, test } from 'vitest'
import type { Simulator } from '../../simulator/server.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { testSecrets } from '../../test/support/gateway.ts'
import { startQuietSimulator } from '../../test/support/sending.ts'
import { systemClock } from '../time-and-chance.ts'
import { createGraph } from './graph.ts'
import { createGraphAccounts, type GraphAccounts } from './graph-accounts.ts'

let simulator: Simulator
let meta: GraphAccounts
const app = { appId: testSecrets.META_APP_ID, appSecret: testSecrets.META_APP_SECRET }
const accessToken = 'token-of-many'

beforeAll(async () => {
  simulator = await startQuietSimulator()
  const graph = createGraph({
    url: simulator.url,
    version: 'v26.0',
    timeoutMs: 5_000,
    clock: systemClock,
  })
  afterFile(() => graph.close())
  meta = createGraphAccounts(graph)
})

test('every page of an account’s numbers is read', async () => {
  for (let count = 0; count < 130; count++) {
    simulator.registerNumber({
      waba_id: '9001',
      phone_number_id: String(9100 + count),
      display_phone_number: '+1 555-0100',
      access_token: accessToken,
    })
  }

  const answer = await meta.numbersOf('9001', accessToken)

  expect(answer.kind === 'told' && answer.value.length).toBe(130)
})

test('no secret stays in what Meta says of it', async () => {
  const secrets = ['EAAS-secret-token', 'code-secret', app.appSecret]
  const title = `Malformed: ${secrets.join(' ')}`
  simulator.setFault({ fault: 'error', code: 100, http_status: 400, title })
  const answers = [
    await meta.exchangeCode(app, 'code-secret', null),
    await meta.debugToken(app, 'EAAS-secret-token'),
    await meta.number('9100', 'EAAS-secret-token'),
  ]
  simulator.clearFaults()

  const hidden = [
    ['code-secret', app.appSecret],
    ['EAAS-secret-token', app.appSecret],
    ['EAAS-secret-token'],
  ]
  for (const [index, answer] of answers.entries()) {
    expect(answer).toMatchObject({ kind: 'refused', provider: { code: 100 } })
    for (const secret of hidden[index] ?? []) expect(JSON.stringify(answer)).not.toContain(secret)
  }
})

test('an answer of another shape is none', async () => {
  simulator.setFault({ fault: 'html', http_status: 200 })
  const answer = await meta.subscribedApps('9001', accessToken)
  simulator.clearFaults()

  expect(answer).toMatchObject({ kind: 'unreachable', code: 'UNREADABLE' })
})
