// What people do with a thread in a real browser: mending what failed, deciding, taking back, reading up and down, choosing.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import { expectAccessible } from '../support/console.ts'
import { textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { receive, secondsAgo, startThreads, type Threads } from '../support/thread.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let threads: Threads
  let page: Page

  beforeAll(async () => {
    threads = await startThreads()
  })
  beforeEach(() => () => page?.close().catch(() => undefined))

  test('a failure says why, and sending again really sends', async () => {
    const { world, firm, agent, sendAs, newCustomer } = threads
    const customer = await newCustomer()
    const match = { recipient: customer }
    page = await threads.open(customer)
    world.fault({ fault: 'fail', code: 131026, details: 'Message Undeliverable.', match, count: 1 })
    const failed = await sendAs(agent, customer, { type: 'text', text: { body: 'Are you there?' } })
    await page.waitFor(`[data-message="${failed}"] .thread-why`, 'the failure')
    const text = await page.text(`[data-message="${failed}"]`)
    expect(text).toContain('Not delivered')
    expect(text).toMatch(/could not reach .+’s phone/)
    expect(text).not.toContain('Message Undeliverable.')
    await page.waitFor(
      `=>document.querySelector('[data-said="at-once"]').textContent.includes('Are you there?')`,
    )

    await page.click(`[data-message="${failed}"] .thread-deeper`)
    const { correlation_id } = await world.read(firm, failed)
    await page.reads(`[data-message="${failed}"]`, '“Message Undeliverable.”')
    await page.reads(`[data-message="${failed}"]`, correlation_id)

    await page.click(`[data-message="${failed}"] .thread-why .btn`)
    await until('it is with Meta again', () => world.acceptedFor(customer).length === 2)
    await page.waitFor(
      `=>[...document.querySelectorAll('.thread-message.is-out:not(.is-failed)')].some((one) => one.innerText.includes('Are you there?'))`,
      'the new one',
    )
    expect(page.problems).toEqual([])
  })

  test('an admin decides on what nobody knows; an agent is told who can', async () => {
    const { world, firm, admin, agent, sendAs, reached, newCustomer } = threads
    const customer = await newCustomer()
    const match = { recipient: customer }
    world.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    world.fault({ fault: 'stuck', after: 'accepted', match })
    const lost = await sendAs(agent, customer, {
      type: 'text',
      text: { body: 'Did this arrive?' },
      delivery: 'at_most_once',
    })
    await reached(lost, 'unknown')
    page = await threads.open(customer)
    await page.waitFor(`[data-message="${lost}"] .thread-why`)
    await page.reads(`[data-message="${lost}"]`, 'An admin can mark it as sent, or send it again.')
    await page.close()

    page = await threads.open(customer, admin)
    await page.click(`[data-message="${lost}"] .thread-why .btn`)
    await page.type('dialog input', 'The customer confirmed it by phone')
    await page.click('dialog button[type=submit]:not([aria-disabled])')
    await reached(lost, 'sent')
    await page.waitFor(`=>!document.querySelector('[data-message="${lost}"] .thread-why')`)
    const audit = await world.gateway.call('GET', '/api/whatsapp/audit?limit=5', { key: firm.key })
    expect(JSON.stringify(audit.json.data)).toContain('The customer confirmed it by phone')
    expect(page.problems).toEqual([])
  })

  test('what waits says what for, and can be taken back', async () => {
    const { world, firm, agent, sendAs, newCustomer } = threads
    const customer = await newCustomer()
    page = await threads.open(customer)
    const later = await sendAs(agent, customer, {
      type: 'text',
      text: { body: 'Good morning' },
      send_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await page.reload()
    await page.waitFor(`[data-message="${later}"] .thread-waiting`)
    await page.reads(`[data-message="${later}"]`, /Planned for later\. Goes out in (\d+ min|1 h)/)
    await page.click(`[data-message="${later}"] .thread-waiting .btn`)
    await page.waitFor(`[data-message="${later}"].is-cancelled`)
    expect((await world.read(firm, later)).status).toBe('cancelled')
    expect(world.postsTo(customer)).toEqual([])
    expect(page.problems).toEqual([])
  })

  test('older messages come from above without a jump, new ones wait below', async () => {
    const { world, firm, markRead } = threads
    const customer = '16505550703'
    const written = (count: number, start: number) =>
      Array.from({ length: count }, (_, place) =>
        textMessage(
          `wamid.long.${start + place}`,
          `Number ${start + place}. `.repeat(1 + (place % 9) * 6),
          {
            from: customer,
            timestamp: secondsAgo(9000 - (start + place) * 20),
          },
        ),
      )
    await receive(world.gateway, firm, written(130, 0))
    await markRead(customer)
    page = await threads.open(customer)
    const isAtEnd = `(() => { const log = document.querySelector('.thread-log'); return log.scrollHeight - log.scrollTop - log.clientHeight < 4 })()`
    await page.waitFor(
      `=>document.querySelector('.thread-log').innerText.includes('Number 129.') && ${isAtEnd}`,
    )

    // Holds the next page back, so that one can look before and after it.
    await page.evaluate(`(() => {
      const ask = window.fetch
      window.fetch = async (address, options) => {
        if (!String(address).includes('after=')) return ask(address, options)
        await new Promise((resolve) => { window.letGo = resolve })
        return ask(address, options)
      }
    })()`)
    const settled = `new Promise((resolve) => {
      let still = 0, before
      const look = () => {
        const now = JSON.stringify([...document.querySelectorAll('.thread-row')].map((row) => [row.dataset.index, row.getBoundingClientRect().top]))
        still = now === before ? still + 1 : 0
        before = now
        if (still > 5) resolve()
        else requestAnimationFrame(look)
      }
      look()
    })`
    const inView = `(() => {
      const top = document.querySelector('.thread-log').getBoundingClientRect().top
      const found = [...document.querySelectorAll('.thread-message')].find((one) => one.getBoundingClientRect().top > top)
      return { id: found.dataset.message, top: found.getBoundingClientRect().top, height: document.querySelector('.thread-inner').offsetHeight }
    })()`
    await page.evaluate(`(async () => {
      const log = document.querySelector('.thread-log')
      while (!window.letGo) { log.scrollTop -= 200; await ${settled} }
    })()`)
    const before = await page.evaluate(inView)
    await page.evaluate('window.letGo(), window.letGo = undefined')
    await page.waitFor(
      `=>document.querySelector('.thread-inner').offsetHeight > ${before.height + 1000}`,
      'older messages',
    )
    await page.evaluate(settled)
    const after = await page.evaluate(
      `document.querySelector('[data-message="${before.id}"]').getBoundingClientRect().top`,
    )
    expect(Math.abs(after - before.top)).toBeLessThan(2)

    await receive(world.gateway, firm, [
      textMessage('wamid.long.new', 'Something new', { from: customer, timestamp: secondsAgo(0) }),
    ])
    await page.waitFor(
      `=>document.querySelector('.thread-new')?.innerText.includes('1 new')`,
      'the pill',
    )
    expect(
      await page.evaluate(
        `document.querySelector('[data-message="${before.id}"]').getBoundingClientRect().top`,
      ),
    ).toBeCloseTo(after, 0)
    await page.waitFor(
      `=>document.querySelector('[data-said="politely"]').textContent.includes('Something new')`,
      'the announcement',
    )
    await page.click('.thread-new')
    await page.waitFor(
      `=>!document.querySelector('.thread-new') && document.querySelector('.thread-log').innerText.includes('Something new')`,
    )

    await receive(world.gateway, firm, [
      textMessage('wamid.long.newer', 'At the end', { from: customer, timestamp: secondsAgo(0) }),
    ])
    await page.waitFor(
      `=>document.querySelector('.thread-log').innerText.includes('At the end') && ${isAtEnd}`,
    )
    // What takes room below hides nothing of it.
    const room = await page.evaluate(`document.querySelector('.thread-log').clientHeight`)
    await page.click('.composer [aria-label="Templates"]')
    await page.waitFor(
      `=>document.querySelector('.thread-log').clientHeight < ${room} && ${isAtEnd}`,
      'the end above the templates',
    )
    expect(page.problems).toEqual([])
    await page.close()

    // Opened again, it begins where it was left.
    await receive(
      world.gateway,
      firm,
      Array.from({ length: 30 }, (_, place) =>
        textMessage(`wamid.unread.${place}`, 'Much to read. '.repeat(30), {
          from: customer,
          timestamp: secondsAgo(0),
        }),
      ),
    )
    page = await threads.open(customer)
    await page.waitFor('.thread-new', 'the way to the end')
    await page.waitFor(
      `=>(() => {
        const line = document.querySelector('.thread-unread')?.getBoundingClientRect()
        const log = document.querySelector('.thread-log').getBoundingClientRect()
        return line !== undefined && line.top >= log.top && line.bottom <= log.bottom
      })()`,
      'the first that is unread',
    )
    expect(page.problems).toEqual([])
  })

  test('messages are chosen with arrow keys, and reacted to', async () => {
    const { world, firm } = threads
    const customer = '16505550704'
    await receive(world.gateway, firm, [
      textMessage('wamid.key.1', 'The first', { from: customer, timestamp: secondsAgo(20) }),
      textMessage('wamid.key.2', 'The second', { from: customer, timestamp: secondsAgo(10) }),
    ])
    page = await threads.open(customer)
    await page.waitFor('.thread-message')
    const selected = () => page.text('.thread-message.is-selected .thread-text')
    await page.evaluate(`document.querySelector('.thread-log').focus()`)
    await page.press('ArrowUp')
    expect(await selected()).toBe('The second')
    await page.press('ArrowUp')
    await page.waitFor(
      `=>document.activeElement.innerText.includes('The first')`,
      'the focus on it',
    )
    await page.press('ArrowDown')
    await page.waitFor(
      `=>document.activeElement.innerText.includes('The second')`,
      'the focus on it',
    )
    await page.press('Escape')
    await page.waitFor(`=>!document.querySelector('.thread-message.is-selected')`)

    // Where the details are not in view, they come into it.
    await page.press('i')
    await page.waitFor(`=>!document.querySelector('.inbox-details')`)
    await page.click('.thread-message .thread-text')
    expect(await selected()).toBe('The first')
    await page.click('.thread-message.is-selected [aria-label="Details"]')
    await page.waitFor('.inbox-details')
    await page.click('.thread-message.is-selected [aria-label="React"]')
    await page.click('[role="menuitem"][aria-label="React with 👍"]')
    await until('Meta has it', () => world.acceptedFor(customer).length === 1)
    await page.waitFor('.thread-reactions[aria-label="Quay Street Advocates reacted with 👍"]')
    await expectAccessible(page, '.thread')
    expect(page.problems).toEqual([])
  })
})
