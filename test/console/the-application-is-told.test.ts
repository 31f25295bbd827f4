// Event endpoints and alert channels in a real browser, with a real application at the other end.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import { type ConsoleWorld, expectForEverybody, startConsole } from '../support/console.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import {
  callFromPage,
  canary,
  expectFitsPhone,
  expectUnhurt,
  fill,
  isMissing,
  press,
  says,
  saysNoMore,
  tick,
} from '../support/hands.ts'
import type { SeededPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let admin: SeededPerson

  beforeAll(async () => {
    world = await startConsole({ API_RATE_LIMIT_PER_SECOND: '100000' })
    firm = await world.createFirm('Quay Street Advocates')
    admin = await world.person('admin', firm.id)
  })

  /** What signed a call: one for each secret. */
  const signaturesOf = (app: EventReceiver, index: number) =>
    String(app.calls[index]?.headers['webhook-signature']).split(' ')

  async function act(page: Page, name: string): Promise<void> {
    await press(page, 'More actions')
    await press(page, name)
  }

  test('an endpoint is added, tested, given a new secret, paused, and told again', async () => {
    const app = await startEventReceiver()
    const page = await world.open(admin, '/events')
    await says(page, 'No endpoints yet')
    await expectForEverybody(page)
    await press(page, 'Add endpoint')
    await page.waitFor('=> document.activeElement.name === "url"')
    await fill(page, 'url', 'ftp://nowhere')
    await press(page, 'Add endpoint')
    await page.waitFor('[name=url][aria-invalid=true]')
    await fill(page, 'url', app.url)
    await fill(page, 'description', canary)
    await tick(page, '[name=all-events]')
    await tick(page, '[name="message.echoed"]')
    await expectForEverybody(page)
    await press(page, 'Add endpoint')
    await says(page, 'The secret of this endpoint')
    const secret = await page.text('.secret')
    expect(secret.trim()).toMatch(/^whsec_/)
    await expectForEverybody(page)
    await press(page, 'I have copied it')
    await says(page, canary)
    await says(page, 'Somebody writes')

    await press(page, 'Send test event')
    await says(page, 'Taken: 200 in')
    expect(app.types()).toEqual(['event_endpoint.test'])
    expect(signaturesOf(app, 0)).toHaveLength(1)

    await act(page, 'New secret…')
    await says(page, 'How long both sign')
    await press(page, 'Make a new secret')
    await says(page, 'The secret of this endpoint')
    expect(await page.text('.secret')).not.toBe(secret)
    await press(page, 'I have copied it')
    await says(page, 'The secret before signs too')
    await press(page, 'Send test event')
    await until('the second is told', () => app.calls.length === 2)
    expect(signaturesOf(app, 1)).toHaveLength(2)

    await act(page, 'Pause')
    await says(page, 'Events wait here')
    expect(await isMissing(page, 'Send test event')).toBe(true)
    await press(page, 'Resume')
    await saysNoMore(page, 'Events wait here')

    await act(page, 'Deliver again…')
    await says(page, 'events are delivered again.')
    await expectForEverybody(page)
    // Besides the two tests there may be what happened in the firm before.
    const [replay = ''] = /Deliver \d+ again/.exec(await page.text('dialog')) ?? []
    const tests = app.calls.map(({ event }) => event.id)
    const timesOf = (id: string) => app.calls.filter(({ event }) => event.id === id).length
    await press(page, replay)
    await says(page, 'events are on their way again.')
    await until('both are told again', () => tests.every((id) => timesOf(id) === 2))

    await act(page, 'Delete…')
    await press(page, 'Delete it')
    await says(page, 'No endpoints yet')
    await expectUnhurt(page)
  })

  test('what a refusal said is shown as it is, and the event goes out once it is mended', async () => {
    const app = await startEventReceiver()
    const body = { url: app.url, events: ['message.received'] }
    const made = await world.gateway.call('POST', '/api/whatsapp/event-endpoints', {
      key: firm.key,
      body,
    })
    app.react({ status: 500, body: canary })
    const page = await world.open(admin, `/events/${made.json.id}`)
    await press(page, 'Send test event')
    await says(page, 'Not taken: HTTP 500.')
    await says(page, 'It does not take events.')
    await press(page, 'See the delivery')
    await says(page, 'Attempt 1')
    await says(page, canary)
    await says(page, '"type": "event_endpoint.test"')
    await expectForEverybody(page)
    expect(await page.evaluate('location.search')).toContain('event=evt_')
    // As after a day of tries; one that is under way ends first.
    await until('it is given up', async () => {
      const given = await world.gateway.db.query(sql`
        update event_deliveries
        set status = 'failed', lane_head = false
        where tenant_id = ${firm.id} and status = 'pending'
        returning id`)
      return given.length === 1
    })
    await says(page, 'Given up')
    const triedBefore = app.calls.length
    app.react({ status: 200 })
    await press(page, 'Deliver again')
    await until('it is told once more', () => app.calls.length === triedBefore + 1)
    await page.waitFor('=> document.querySelector("dialog").innerText.includes("Taken")')
    await press(page, 'Close')
    await press(page, 'Given up')
    await says(page, 'No deliveries')
    await press(page, 'All')
    await page.waitFor('tbody tr')
    await expectForEverybody(page)
    await expectFitsPhone(page)

    // Disabled by us, and resumed by a person.
    await world.gateway.db.query(sql`
      update event_endpoints
      set status = 'disabled', disabled_reason = 'GONE', disabled_at = now()
      where tenant_id = ${firm.id}`)
    await says(page, 'It answered that it is gone (410).')
    await press(page, 'Resume')
    await saysNoMore(page, 'It answered that it is gone (410).')
    await page.waitFor('.events-row')
    await expectUnhurt(page)
  })

  test('an alert channel is added, tested and deleted; what is wrong is told with what to do', async () => {
    const app = await startEventReceiver()
    await world.gateway.db.query(sql`
      insert into alerts
        (id, tenant_id, rule, subject, state, severity, since, fired_at, notified_at, resolved_at, count, summary)
      select gen_random_uuid(), ${firm.id}, rule, '', state, 'warning', now(), now(), now(),
        case when state = 'resolved' then now() end, 1, ${canary}
      from unnest(array['number_claimed_twice', 'rate_limited'], array['firing', 'resolved']) as alert (rule, state)`)
    const page = await world.open(admin, '/alerts')
    // It is over as soon as the rules are looked at; the page shows it then too.
    await says(page, 'Somebody else wants a number')
    await says(page, 'Meta slows a number down')
    await says(page, canary)
    await says(page, 'No channels yet')
    await press(page, 'Add channel')
    await press(page, 'PagerDuty')
    await fill(page, 'target', 'too short')
    await press(page, 'Add channel')
    await says(page, 'must be a routing key of PagerDuty')
    await press(page, 'Webhook')
    await fill(page, 'target', `${app.url}/channel-of-the-night-shift`)
    await fill(page, 'description', canary)
    await expectForEverybody(page)
    await press(page, 'Add channel')
    await says(page, 'The secret of this channel')
    expect((await page.text('.secret')).trim()).toMatch(/^whsec_/)
    await press(page, 'I have copied it')
    await saysNoMore(page, 'The secret of this channel')
    expect(await page.evaluate('document.body.innerText')).not.toContain('/channel-of-the-night')

    app.react({ status: 200, body: `thank you ${canary}` })
    await press(page, 'Test')
    await says(page, 'Delivered: HTTP 200.')
    await says(page, `thank you ${canary}`)
    app.react({ status: 404, body: 'no_service' })
    await press(page, 'Test')
    await says(page, 'Not delivered: HTTP 404.')
    await says(page, 'no_service')
    await press(page, 'Everything that is watched')
    await says(page, 'Meta does not answer')
    await expectForEverybody(page)
    await expectFitsPhone(page)
    await press(page, 'Delete…')
    await press(page, 'Delete it')
    await says(page, 'No channels yet')
    await expectUnhurt(page)
  })

  test('the operator has channels of its own; an agent has none of this', async () => {
    const app = await startEventReceiver()
    const operator = await world.open(await world.person('operator', null), '/alerts')
    await press(operator, 'Add channel')
    await fill(operator, 'target', app.url)
    await fill(operator, 'description', 'Those on call')
    await press(operator, 'Add channel')
    await says(operator, 'Those on call')
    const own = await callFromPage(operator, 'GET', '/api/admin/alert-channels')
    expect(own.json.data).toMatchObject([{ kind: 'slack', description: 'Those on call' }])
    await expectForEverybody(operator)
    await operator.goto(`${world.gateway.url}/console/alerts?tenant=${firm.id}`)
    await says(operator, 'No channels yet')

    const agent = await world.open(await world.person('agent', firm.id), '/events')
    await says(agent, 'This is not for your role')
    await agent.goto(`${world.gateway.url}/console/alerts`)
    await says(agent, 'This is not for your role')
    for (const path of ['event-endpoints', 'alert-channels', 'alerts']) {
      expect((await callFromPage(agent, 'GET', `/api/whatsapp/${path}`)).status, path).toBe(403)
    }
  })
})
