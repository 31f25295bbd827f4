// The inbox as agents use it: the list and its filters, the keyboard, two people at once, a phone, and very many rows.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import {
  type ConsoleWorld,
  expectAccessible,
  expectForEverybody,
  startConsole,
} from '../support/console.ts'
import { seedConversations } from '../support/many-conversations.ts'
import { payload, textMessage } from '../support/payloads.ts'
import type { SeededPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let damar: SeededPerson
  let lucia: SeededPerson

  const people: Record<string, string> = {
    'Ratna Kusuma': '6281100000193',
    'João Ferraz': '351912000144',
    'Mariana Vélez': '573001230145',
    'Eleanor Hartwell': '442079460146',
  }
  const everybody = Object.keys(people).toReversed()
  let second = Math.floor(Date.now() / 1000) - 3600

  async function write(name: string, text: string, from = people[name] ?? ''): Promise<void> {
    second++
    await world.gateway.deliver(
      payload({
        number: { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId },
        messages: [textMessage(`wamid.${second}`, text, { from, timestamp: `${second}` })],
        contacts: [{ wa_id: from, profile: { name } }],
      }),
    )
  }

  const named = '[...document.querySelectorAll(".inbox-row b")].map((one) => one.textContent)'
  /** Until the list shows exactly these, in this order. */
  const waitForRows = (page: Page, names: string[]) =>
    page.waitFor(
      `=>JSON.stringify(${named}) === ${JSON.stringify(JSON.stringify(names))}`,
      `the rows ${names.join(', ')}`,
    )
  /** Until the row of this person says so. */
  const waitForRow = (page: Page, name: string, said: string) =>
    page.waitFor(`=>(${rowOf(name)})?.innerText.includes(${JSON.stringify(said)})`, said)
  const rowOf = (name: string) =>
    `[...document.querySelectorAll('.inbox-row')].find((row) => row.innerText.includes(${JSON.stringify(name)}))`
  const waitForHead = (page: Page, said: string) =>
    page.waitFor(
      `=>document.querySelector('.inbox-conversation-head')?.innerText.includes(${JSON.stringify(said)})`,
      `the head to say ${said}`,
    )
  const idOf = async (name: string): Promise<string> => {
    const { json } = await world.gateway.call(
      'GET',
      `/api/whatsapp/conversations?q=${encodeURIComponent(name)}`,
      { key: firm.key },
    )
    return json.data[0].id
  }
  const addressOf = (page: Page): Promise<string> =>
    page.evaluate('location.pathname + location.search')
  const openRow = async (page: Page, name: string) => {
    const id = await idOf(name)
    await page.click(`.inbox-row[data-id="${id}"]`)
    await waitForHead(page, name)
    return id
  }
  const menuItem = (text: string) =>
    `[...document.querySelectorAll('[role^=menuitem]')].find((one) => one.innerText.includes(${JSON.stringify(text)}))`
  const choose = async (page: Page, text: string) => {
    await page.waitFor(`=>${menuItem(text)} !== undefined`, `${text} in the menu`)
    await page.evaluate(`${menuItem(text)}.click()`)
  }

  beforeAll(async () => {
    world = await startConsole()
    firm = await world.createFirm('Meridian Legal')
    damar = await world.person('agent', firm.id, 'Damar Prasetya')
    lucia = await world.person('agent', firm.id, 'Lucía Ibáñez')
    for (const name of Object.keys(people)) await write(name, `Good morning from ${name}`)
  })

  test('the list is narrowed, searched and gone through with the keyboard', async () => {
    const page = await world.open(damar, '/inbox')
    await waitForRows(page, everybody)
    await waitForRow(page, 'Eleanor Hartwell', 'Good morning from Eleanor')
    await waitForRow(page, 'Eleanor Hartwell', 'Closes in 2')
    await waitForRow(page, 'Eleanor Hartwell', 'Nobody yet')
    await expectAccessible(page)

    await page.press('/')
    await page.type('.inbox-tools input', '+62 811')
    await waitForRows(page, ['Ratna Kusuma'])
    expect(await addressOf(page)).toBe('/console/inbox?q=%2B62+811')
    await page.reload()
    await waitForRows(page, ['Ratna Kusuma'])
    await page.click('.inbox-tools [aria-label="Clear the search"]')
    await page.type('.inbox-tools input', 'from mariana')
    await waitForRows(page, ['Mariana Vélez'])
    await page.press('Escape')
    await waitForRows(page, everybody)
    await page.press('Escape')

    await page.evaluate(`document.querySelectorAll('.inbox-tools .segments button')[1].click()`)
    await page.waitFor('=>document.body.innerText.includes("Nothing is assigned to you")')
    expect(await addressOf(page)).toBe('/console/inbox?show=mine')
    await page.evaluate(`document.querySelectorAll('.inbox-tools .segments button')[0].click()`)
    await waitForRows(page, everybody)

    await page.press('j')
    await page.press('j')
    await page.press('j')
    await page.press('k')
    await page.waitFor(`=>document.activeElement.innerText.includes('Mariana Vélez')`)
    await page.press('ArrowDown')
    await page.waitFor(`=>document.activeElement.innerText.includes('João Ferraz')`)
    await page.press('Enter')
    await waitForHead(page, 'João Ferraz')
    expect(await addressOf(page)).toBe(`/console/inbox/${await idOf('João Ferraz')}`)
    expect(page.problems).toEqual([])
    await page.close()
  })

  test('what is opened is read, when it is really seen', async () => {
    const page = await world.open(damar, '/inbox')
    await waitForRows(page, everybody)
    const count = (name: string) => `${rowOf(name)}.querySelector('.count')`
    const unread = async () => {
      const { json } = await world.gateway.call(
        'GET',
        `/api/whatsapp/conversations/${await idOf('Ratna Kusuma')}`,
        { key: firm.key },
      )
      return json.unread_count
    }
    const seem = (state: string) =>
      page.evaluate(`(() => {
        Object.defineProperty(document, 'visibilityState', { get: () => '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      })()`)
    await page.waitFor(`=>${count('Ratna Kusuma')} !== null`)

    await seem('hidden')
    await openRow(page, 'Ratna Kusuma')
    expect(await page.evaluate(`${count('Ratna Kusuma')} !== null`)).toBe(true)
    expect(await unread()).toBe(1)
    // Nobody answers: the mark is back.
    await page.evaluate(`(() => {
      window.fetchAsBefore = fetch
      window.fetch = (path, options) => String(path).endsWith('/read')
        ? Promise.reject(new TypeError('nobody there')) : fetchAsBefore(path, options)
    })()`)
    await seem('visible')
    await page.waitFor('.toast')
    await page.waitFor(`=>${count('Ratna Kusuma')} !== null`)
    expect(await unread()).toBe(1)
    await page.evaluate('window.fetch = fetchAsBefore')
    await seem('hidden')
    await seem('visible')
    await page.waitFor(`=>${count('Ratna Kusuma')} === null`)
    await until('it is read at the gateway', async () => (await unread()) === 0)
    await page.close()
  })

  test('two agents at once see what the other did', async () => {
    const [one, other] = [await world.open(damar, '/inbox'), await world.open(lucia, '/inbox')]
    await waitForRows(one, everybody)
    await waitForRows(other, everybody)
    await openRow(one, 'Mariana Vélez')
    await openRow(other, 'Mariana Vélez')

    await one.press('a')
    await choose(one, 'Lucía Ibáñez')
    await waitForRow(one, 'Mariana Vélez', 'Lucía')
    await waitForRow(other, 'Mariana Vélez', 'Lucía')
    await other.waitFor(
      `=>document.querySelector('#inbox-assigned-name')?.innerText === 'Lucía Ibáñez'`,
    )
    // The person who closes it sees it go at once; the other sees that it was closed.
    await other.press('e')
    await waitForHead(other, 'Reopen')
    await waitForHead(other, 'Closed')
    await other.waitFor(`=>${rowOf('Mariana Vélez')} === undefined`)
    await waitForHead(one, 'Reopen')
    await one.press('e')
    await until('it is open again', async () => {
      const { json } = await world.gateway.call(
        'GET',
        '/api/whatsapp/conversations?status=open&limit=10',
        { key: firm.key },
      )
      return json.data.length === everybody.length
    })
    await waitForHead(one, 'Close')
    await other.waitFor(
      `=>!document.querySelector('.inbox-conversation-head').innerText.includes('Reopen')`,
    )

    // A colleague who has just left: nothing is changed, and that is said.
    const tom = await world.person('agent', firm.id, 'Tom Whitlock')
    await one.reload()
    await waitForHead(one, 'Mariana Vélez')
    await one.press('a')
    await one.waitFor(`=>${menuItem('Tom Whitlock')} !== undefined`)
    await world.gateway.db.query(
      sql`update people set disabled_at = now() where id = ${uuidOf('usr', tom.id)}`,
    )
    await choose(one, 'Tom Whitlock')
    await one.waitFor('.toast.bad')
    await one.waitFor(
      `=>document.querySelector('#inbox-assigned-name').innerText === 'Lucía Ibáñez'`,
    )
    await one.close()
    await other.close()
  })

  test('what was sent shows its tick', async () => {
    const page = await world.open(damar, '/inbox')
    await waitForRows(page, everybody)
    const to = people['Eleanor Hartwell'] ?? ''
    await world.send(firm, to, { text: { body: 'The hearing is on Monday.' } })
    await waitForRow(page, 'Eleanor Hartwell', 'The hearing is on Monday.')
    await page.waitFor(`=>/^(Sent|Delivered|Read)$/.test(
      ${rowOf('Eleanor Hartwell')}.querySelector('.inbox-tick')?.getAttribute('aria-label'))`)
    await page.close()
  })

  test('on a phone one pane is shown at a time, and the way back works', async () => {
    const page = await world.open(damar, '/inbox')
    await page.resize(390, 844)
    await waitForRows(page, everybody)
    const isShown = (selector: string) =>
      `=>getComputedStyle(document.querySelector('${selector}')).visibility === 'visible'`
    const isHidden = (selector: string) =>
      `=>getComputedStyle(document.querySelector('${selector}')).visibility === 'hidden'`
    await openRow(page, 'Ratna Kusuma')
    await page.waitFor(isHidden('.inbox-list'))
    await page.waitFor(`=>document.activeElement.matches('.inbox-back')`)
    await expectAccessible(page)

    await page.click('#inbox-details-toggle')
    await page.waitFor('.inbox-details .inbox-ring')
    await page.waitFor(`=>document.activeElement.id === 'inbox-details'`)
    await page.evaluate('history.back()')
    await page.waitFor(`=>document.querySelector('.inbox-details') === null`)
    await page.evaluate('history.back()')
    await page.waitFor(isShown('.inbox-list'))
    expect(await addressOf(page)).toBe('/console/inbox')
    await page.waitFor(`=>document.activeElement.innerText.includes('Ratna Kusuma')`)

    await openRow(page, 'Ratna Kusuma')
    await page.click('.inbox-back')
    await page.waitFor(isShown('.inbox-list'))
    await page.close()
  })

  test('the details are a drawer where there is little room; axe finds nothing in both themes', async () => {
    const page = await world.open(damar, `/inbox/${await idOf('João Ferraz')}`)
    await waitForHead(page, 'João Ferraz')
    await page.waitFor('.inbox-details')
    await expectForEverybody(page)
    await page.resize(1024, 768)
    await page.waitFor(`=>document.querySelector('.inbox-details') === null`)
    await page.press('i')
    await page.waitFor('.inbox-details .inbox-ring')
    await expectAccessible(page)
    await page.press('Escape')
    await page.waitFor(`=>document.querySelector('.inbox-details') === null`)
    await page.close()
  })

  test('two thousand conversations scroll to the end, and nothing jumps when somebody writes', async () => {
    const count = 2_000
    firm = await world.createFirm('Very Large Legal')
    const agent = await world.person('agent', firm.id, 'Inês Carvalho')
    const { phoneNumberId } = firm
    await seedConversations(world.gateway.db, { tenantId: firm.id, phoneNumberId, count })
    const page = await world.open(agent, '/inbox')
    await page.waitFor('=>document.body.innerText.includes("999+ open")')
    await waitForRow(page, 'Customer 2', 'Question of Customer 2')

    const pane = `document.querySelector('.inbox-rows')`
    await page.evaluate(`${pane}.scrollTop = 1600`)
    await page.waitFor(`=>${rowOf('Customer 24')} !== undefined`)
    second = Math.floor(Date.now() / 1000)
    await write('Siti Nuraini', 'Is anybody there?', '6281100000999')
    await page.waitFor(`=>document.querySelector('.inbox-news')?.innerText.trim() === '1 new'`)
    expect(await page.evaluate(`${pane}.scrollTop`)).toBe(1600)
    await page.click('.inbox-news')
    await page.waitFor(
      `=>document.querySelector('.inbox-row b').textContent === 'Siti Nuraini'`,
      'the new one at the top',
    )

    const setSize = `Number(document.querySelector('.inbox-row-list').offsetHeight / 80)`
    for (let loaded = 500; loaded <= count; loaded += 500) {
      await page.waitFor(
        `=>(${pane}.scrollTop = ${pane}.scrollHeight, ${setSize} >= ${Math.min(loaded, count - 2)})`,
        `${loaded} rows`,
      )
      expect(await page.evaluate(`document.querySelectorAll('.inbox-row').length`)).toBeLessThan(60)
    }
    await page.waitFor(
      `=>(${pane}.scrollTop = ${pane}.scrollHeight, ${rowOf(`Customer ${count}`)} !== undefined)`,
      'the last row',
    )
    // Two of them are closed, one is new.
    expect(await page.evaluate(setSize)).toBe(count - 2 + 1)
    expect(page.problems).toEqual([])
    await page.close()
  })
})
