import { beforeAll, expect, test } from 'vitest'
import type { Simulator } from '../../simulator/server.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { canary, expectNone } from '../../test/support/canaries.ts'
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
  const [accessSecret, codeSecret] = [canary('access token').text, canary('signup code').text]
  const secrets = [accessSecret, codeSecret, app.appSecret]
  const title = `Malformed: ${secrets.join(' ')}`
  simulator.setFault({ fault: 'error', code: 100, http_status: 400, title })
  const answers = [
    await meta.exchangeCode(app, codeSecret, null),
    await meta.debugToken(app, accessSecret),
    await meta.number('9100', accessSecret),
  ]
  simulator.clearFaults()

  const hidden = [[codeSecret, app.appSecret], [accessSecret, app.appSecret], [accessSecret]]
  for (const [index, answer] of answers.entries()) {
    expect(answer).toMatchObject({ kind: 'refused', provider: { code: 100 } })
    expectNone(JSON.stringify(answer), ...(hidden[index] ?? []))
  }
})

test('an answer of another shape is none', async () => {
  simulator.setFault({ fault: 'html', http_status: 200 })
  const answer = await meta.subscribedApps('9001', accessToken)
  simulator.clearFaults()

  expect(answer).toMatchObject({ kind: 'unreachable', code: 'UNREADABLE' })
})
