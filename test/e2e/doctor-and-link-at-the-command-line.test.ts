import { beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/time-and-chance.ts'
import { runCommand } from '../support/commands.ts'
import { testSecrets } from '../support/gateway.ts'
import { type Sending, startSending } from '../support/sending.ts'
import { callback, codeFor, createMetaAccount, signUp } from '../support/signup.ts'

let world: Sending
let environment: Record<string, string>

beforeAll(async () => {
  // Commands have no other clock.
  world = await startSending({}, { clock: systemClock })
  environment = {
    ...testSecrets,
    DATABASE_URL: world.gateway.databaseUrl,
    META_GRAPH_URL: world.simulator.url,
    PUBLIC_URL: world.gateway.url,
  }
})

const run = (...args: string[]) => runCommand(args, environment)

describe('at the command line', () => {
  test('a link is made that a browser can finish', async () => {
    const { id, key } = await world.gateway.createTenant('Linked Firm')
    const link = await run('account', 'link', id, '--json')
    const { url, state } = JSON.parse(link.stdout)
    expect(url).toBe(`${world.gateway.url}/connect/whatsapp?state=${state}`)
    const answer = await callback(world, { state, code: codeFor(world, createMetaAccount(world)) })
    expect(answer.status).toBe(200)
    const accounts = await world.gateway.call('GET', '/api/whatsapp/accounts', { key })
    expect(accounts.json.data).toMatchObject([answer.json])
  })

  test('the doctor finds, exits with 1, repairs, and prints for people and for programs', async () => {
    const tenant = await world.gateway.createTenant('Examined Firm')
    const meta = createMetaAccount(world)
    const { json: account } = await signUp(world, tenant, meta)
    const ofWaba = world.simulator.accounts().find(({ waba_id }) => waba_id === meta.wabaId)
    ofWaba?.subscriptions.clear()

    const sick = await run('doctor', account.id)
    expect(sick.code).toBe(1)
    expect(sick.stdout).toMatch(/^failed +subscription +Our app is not subscribed/m)
    expect(sick.stdout).toMatch(/^ok +registration /m)

    const repaired = await run('doctor', account.id, '--repair', '--json')
    expect(repaired.code).toBe(0)
    expect(JSON.parse(repaired.stdout).data).toMatchObject([
      {
        actions: [{ name: 'subscribe', status: 'done' }],
        doctor: { account_id: account.id, status: 'warning' },
      },
    ])
  })
})
