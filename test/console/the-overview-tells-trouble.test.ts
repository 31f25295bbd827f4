// The overview in a real browser: calm, an outage at Meta and its end, an account that lost its access, and who sees what.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import { type ConsoleWorld, expectAccessible, startConsole } from '../support/console.ts'
import type { SeededPerson } from '../support/people.ts'
import { type Firm, template } from '../support/sending.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let harbour: Firm
  let meridian: Firm
  let operator: SeededPerson
  let page: Page

  beforeAll(async () => {
    world = await startConsole({
      CIRCUIT_MIN_CALLS: '3',
      CIRCUIT_HALF_OPEN_SECONDS: '2',
      MAX_CONCURRENCY_PER_TENANT: '4',
    })
    operator = await world.person('operator', null, 'Olga Reyes')
    page = await world.open(operator, '/overview')
  })

  const says = (text: string) =>
    page.waitFor(
      `=> document.querySelector('h1')?.textContent.includes(${JSON.stringify(text)})`,
      text,
    )

  /** To as many people, in their open windows or not. */
  const sendMany = (firm: Firm, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        world.send(firm, String(16505600000 + index), {
          type: 'template',
          template,
          text: undefined,
        }),
      ),
    )

  /** An hour in which it was looked at all the time, but for ten minutes. */
  const rememberAnHour = () =>
    world.gateway.db.query(sql`
      insert into health_history
        (tenant_id, step, at, accepted, refused, latencies, waiting_sends, waiting_events, oldest_seconds, dead_letters)
      select tenant, 'minute', at, 90, 10, '{"send": {"100": 10}}', 4, 2, 1.5, 7
      from generate_series(date_trunc('minute', now()) - interval '60 minutes',
          date_trunc('minute', now()) - interval '1 minute', '1 minute') as at,
        unnest(${[null, harbour.id]}::uuid[]) as tenant
      where at not between date_trunc('minute', now()) - interval '30 minutes'
        and date_trunc('minute', now()) - interval '21 minutes'
      on conflict do nothing`)

  test('of a new installation it says how to begin', async () => {
    await page.waitFor('.empty', 'where to begin')
    await page.reads('.empty', 'Create the first tenant')
    await expectAccessible(page)

    harbour = await world.createFirm('Harbour Legal')
    meridian = await world.createFirm('Meridian Travel')
    await page.waitFor('.empty a[href="/console/accounts"]', 'the way to the accounts')
  })

  test('when all is well it says so, with figures, charts and a table behind them', async () => {
    await rememberAnHour()
    await world.customerOf(harbour)
    await world.customerOf(meridian)
    await page.waitFor('.overview-kpis', 'figures')
    await says('All working.')
    await page.waitFor(
      "=> document.querySelectorAll('.overview-plot canvas').length === 9",
      'charts',
    )
    // The name is the link, and the link covers the line.
    await page.waitFor(`.overview-open[href="/console/overview?tenant=${harbour.id}"]`)
    await page.reads('.overview-tenants', 'Meridian Travel')

    await page.evaluate(`document.querySelector('.overview-charts').focus()`)
    // The first minute of the hour: the last ones are the gateway's own.
    await page.press('Home')
    const at = () => page.evaluate("document.querySelector('.overview-at')?.textContent ?? ''")
    await page.waitFor(
      '=> /at \\d\\d:\\d\\d/.test(document.querySelector(".overview-at")?.textContent)',
      'the time at the cursor',
    )
    expect(await page.text('[data-series=success] b')).toBe('90 %')
    const first = await at()
    await page.press('ArrowRight')
    await page.waitFor(
      `=> document.querySelector('.overview-at')?.textContent !== ${JSON.stringify(first)}`,
      'the next minute',
    )
    await expectAccessible(page)

    await page.click('.card-head button')
    await page.waitFor('.overview-figures table', 'the table')
    const rows: string[][] = await page.evaluate(
      `[...document.querySelectorAll('.overview-figures tbody tr')].map((row) =>
        [...row.cells].map((cell) => cell.textContent))`,
    )
    expect(rows).toHaveLength(60)
    const gaps = rows.filter(([, ...figures]) => figures.every((figure) => figure === '—'))
    expect(gaps.length).toBeGreaterThanOrEqual(10)
    expect(gaps.length).toBeLessThan(20)
    await expectAccessible(page)
    await page.click('.card-head button')
    await page.waitFor('.overview-charts')
  })

  test('an outage at Meta is told within seconds, and its end too', async () => {
    const { id } = world.simulator.setFault({
      fault: 'outage',
      match: { phone_number_id: harbour.phoneNumberId },
    })
    await sendMany(harbour, 12)
    await says('Mostly working. One number is paused.')
    const circuit = `[data-circuit="${harbour.phoneNumberId}"]`
    await page.reads(circuit, 'Harbour Legal')
    await page.reads(circuit, 'Next trial')
    await page.reads('.overview-meta', 'Meta fails for one number')
    await page.waitFor(
      "=> /Harbour Legal.*\\n?.*1 circuit open/.test(document.querySelector('.overview-tenants tbody tr').innerText)",
      'the worst first',
    )
    await page.colorScheme('dark')
    await page.waitFor('[data-theme=dark]')
    await expectAccessible(page)

    world.simulator.removeFault(id)
    // One that has not failed yet, and waits for no second try.
    await world.send(harbour, '16505600999', { type: 'template', template, text: undefined })
    await says('All working.')
    await page.waitFor("=> !document.querySelector('[data-circuit]')", 'no circuit')
    await page.waitFor(
      "=> document.querySelector('.overview-meta').textContent.includes('is answering')",
    )
  })

  test('an account that lost its access is shown with the way to reconnect it', async () => {
    world.simulator.setFault({
      fault: 'token',
      match: { phone_number_id: meridian.phoneNumberId },
    })
    await sendMany(meridian, 1)
    await says('One account must be reconnected.')
    await page.waitFor(
      `[data-reauth] a[href="/console/accounts?tenant=${meridian.id}"]`,
      'Reconnect',
    )
    await page.reads('[data-reauth]', 'Meridian Travel')
    await page.waitFor(
      "=> document.querySelector('header.page-head').textContent.includes('1 message of Meridian Travel waits for Reconnect.')",
      'what waits, and for what',
    )
    await expectAccessible(page)
  })

  test('while the gateway cannot be reached it says so, and keeps the last figures', async () => {
    await page.setOffline(true)
    await page.waitFor('.overview.is-stale .banner', 'a word about it')
    await page.reads('.banner', 'The gateway does not answer.')
    await page.reads('.overview-kpis', 'Accounts to reconnect')
    await page.setOffline(false)
    await page.waitFor("=> !document.querySelector('.overview.is-stale')", 'figures of now')
  })

  test('an admin sees the own part, and nothing of others', async () => {
    const admin = await world.person('admin', harbour.id)
    const own = await world.open(admin, '/overview?range=6h')
    await own.waitFor('.overview-kpis', 'figures')
    await own.waitFor("=> document.querySelector('h1').textContent === 'All working.'")
    await own.waitFor(
      "=> document.querySelectorAll('.overview-plot canvas').length === 9",
      'charts',
    )
    const text = await own.evaluate('document.body.innerText')
    expect(text).not.toContain('Meridian')
    expect(await own.evaluate(`document.querySelector('.overview-tenants')`)).toBeNull()
    expect(
      await own.evaluate(`fetch('/api/admin/whatsapp/history').then(({ status }) => status)`),
    ).toBe(403)
    await expectAccessible(own)
    await own.close()
  })

  test('an agent is told that it is not for agents', async () => {
    const agent = await world.person('agent', harbour.id)
    const own = await world.open(agent, '/overview')
    await own.waitFor("=> document.body.innerText.includes('not for your role')")
    for (const what of ['health', 'history']) {
      const status = await own.evaluate(
        `fetch('/api/whatsapp/${what}').then(({ status }) => status)`,
      )
      expect(status).toBe(403)
    }
    await own.close()
  })
})
