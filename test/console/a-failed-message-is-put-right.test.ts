// Dead letters and traces in a real browser: somebody finds out why a message failed, decides, and sees it arrive.
import { beforeAll, describe, expect, test } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import {
  type ConsoleWorld,
  expectAccessible,
  expectForEverybody,
  startConsole,
} from '../support/console.ts'
import { payload, textMessage } from '../support/payloads.ts'
import type { SeededPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import { keepInboxSteady, makeDue } from '../support/queue.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()

interface Letter {
  id: string
  message_id: string
}

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let admin: SeededPerson

  beforeAll(async () => {
    world = await startConsole({ RECONCILE_SECONDS: '0' })
    firm = await world.createFirm('Harbour and Finch')
    admin = await world.person('admin', firm.id, 'Inês Carvalho')
  })

  const api = (method: string, path: string, body?: unknown, key = firm.key) =>
    world.gateway.call(method, `/api/whatsapp${path}`, { key, body })

  /** Somebody of this name wrote to the firm just now. */
  async function customer(name: string, of = firm): Promise<string> {
    const digits = await world.customerOf(of)
    const message = textMessage(`wamid.named-${digits}`, 'hello', {
      from: digits,
      timestamp: String(Math.floor(Date.now() / 1000)),
    })
    const number = { waba_id: of.wabaId, phone_number_id: of.phoneNumberId }
    const contacts = [{ wa_id: digits, profile: { name } }]
    await world.gateway.deliver(payload({ number, messages: [message], contacts }))
    await until('the name is known', async () => {
      const { json } = await api('GET', `/conversations?q=${digits}`, undefined, of.key)
      return json.data[0]?.contact?.name === name || json.data[0]?.contact_name === name
    })
    return digits
  }

  async function letterOf(messageId: string, of = firm): Promise<Letter> {
    return until('it is a dead letter', async () => {
      const { json } = await api('GET', `/dlq?message_id=${messageId}`, undefined, of.key)
      return json.data[0] as Letter | undefined
    })
  }

  const templateMissing: Omit<FaultInput & { fault: 'error' }, 'match' | 'count'> = {
    fault: 'error',
    code: 132001,
    http_status: 404,
    details: 'Template name does not exist in the translation',
  }

  /** Meta refuses it once. */
  async function dies(to: string, more: Record<string, unknown> = {}, fault = templateMissing) {
    world.fault({ ...fault, match: { recipient: to, endpoint: 'messages' }, count: 1 })
    return letterOf(await world.send(firm, to, more))
  }

  /** Meta may have it: the answer is lost, and no status tells. */
  async function getsLost(to: string): Promise<Letter> {
    world.fault({ fault: 'reset', match: { recipient: to, endpoint: 'messages' }, count: 1 })
    const id = await world.send(firm, to, { delivery: 'at_most_once' })
    return until('nobody knows', async () => {
      await keepInboxSteady(world.gateway.db)
      await makeDue(world.gateway.db)
      const { json } = await api('GET', `/dlq?message_id=${id}&kind=unknown`)
      return json.data[0] as Letter | undefined
    })
  }

  const statusOf = async (messageId: string) => (await world.read(firm, messageId)).status

  const open = (place: string, person = admin) => world.open(person, place)

  /** The dialog is there, this is the reason, and it is sent. */
  async function decide(page: Page, verb: string, reason?: string): Promise<void> {
    await page.click(`.letters-inspector [data-verb="${verb}"]`)
    await page.waitFor('dialog[open] textarea')
    if (reason !== undefined) await page.type('dialog[open] textarea', reason)
    await page.click('dialog[open] button[type="submit"]')
  }

  const mark = 'a[href^="/console/dead-letters"] .rail-mark'
  const says = (text: string) => `=>document.body.innerText.includes(${JSON.stringify(text)})`

  test('somebody finds why a message failed, requeues it, and it arrives', async () => {
    const page = await open('/dead-letters')
    await page.waitFor(says('Nothing has failed'))
    const to = await customer('Beatriz Nóvoa')
    const { id, message_id } = await dies(to)

    await page.waitFor('.letters-new button', 'the news of a letter')
    await page.waitFor(mark, 'the mark in the rail')
    await page.click('.letters-new button')
    await page.waitFor(`#letter-${id}`)
    await page.reads('tbody tr', /Template\s+132001[\s\S]*requeue[\s\S]*Beatriz Nóvoa/)
    await page.press('j')
    await page.waitFor(`=>document.activeElement.id === 'letter-${id}'`)
    await page.press('Enter')
    await page.waitFor('.letters-why')
    await page.reads('.letters-why', 'no approved template of this name')
    await page.reads('.letters-body', 'does not exist in the translation')
    await page.reads('.letters-body', 'HTTP 404')

    await decide(page, 'requeue', 'approved since ten o’clock')
    await page.waitFor(says('Requeued by You'))
    await until('Meta has it', () => world.acceptedFor(to).length === 1)
    await until('it arrived', async () =>
      ['delivered', 'read'].includes(await statusOf(message_id)),
    )
    await page.reads(`tr:has(#letter-${id})`, 'Requeued')
    await page.click('#tab-audit')
    await page.reads(
      '[role="tabpanel"]',
      /You looked at it[\s\S]*You requeued it[\s\S]*approved since ten o’clock[\s\S]*You looked at it/,
    )
    await page.waitFor(`=>!document.querySelector('${mark}')`, 'nothing left to decide')
    await page.close()
  })

  test('another is discarded, and the reason of before is offered again', async () => {
    const to = await customer('Joana Sampaio')
    const first = await dies(to)
    const second = await dies(to)
    const page = await open(`/dead-letters/${first.id}`)
    await page.waitFor('.letters-why')
    await page.click('.letters-inspector [data-verb="discard"]')
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('Say why, in a few words'))
    await page.type('dialog[open] textarea', 'the client called')
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('Discarded by You'))

    await page.click(`#letter-${second.id}`)
    await page.waitFor(`=>location.pathname.endsWith('${second.id}')`)
    await decide(page, 'discard')
    await page.waitFor(says('Discarded by You'))
    const { json } = await api('GET', '/dlq?state=decided&limit=2')
    expect(json.data).toMatchObject([
      { id: second.id, state: 'discarded', decision_reason: 'the client called' },
      { id: first.id, state: 'discarded', decision_reason: 'the client called' },
    ])
    expect(world.acceptedFor(to)).toHaveLength(0)
    await page.close()
  })

  test('of two that nobody knows of one is marked sent, the other sent again', async () => {
    const to = await customer('Tomás Arriaga')
    const seen = await getsLost(to)
    const unseen = await getsLost(to)
    const page = await open(`/dead-letters/${seen.id}?show=unknown`)
    await page.waitFor('.letters-why')
    await decide(page, 'mark-sent', 'it is on the phone')
    await page.waitFor(says('Sent by You'))
    expect(await statusOf(seen.message_id)).toBe('sent')
    expect(world.acceptedFor(to)).toHaveLength(0)

    await page.click(`#letter-${unseen.id}`)
    await page.waitFor(`=>location.pathname.endsWith('${unseen.id}')`)
    await page.waitFor('.letters-inspector [data-verb="requeue"]')
    await page.click('.letters-inspector [data-verb="requeue"]')
    await page.waitFor(says('gets it twice'))
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('Requeued by You'))
    await until('Meta has it', () => world.acceptedFor(to).length === 1)
    await page.close()
  })

  test('what a dry run counts is what then happens', async () => {
    const to = await customer('Caio Drummond')
    const letters = [await dies(to), await dies(to)]
    const lost = await getsLost(to)
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    await world.gateway.deliver(payload({ number, messages: [{ text: { body: 'no id' } }] }))
    await until('it could not be read', async () => {
      const { json } = await api('GET', '/dlq?kind=malformed')
      return json.data.length === 1
    })
    const page = await open('/dead-letters')
    await page.waitFor('=>document.querySelectorAll("tbody tr").length === 4')
    await page.press('j')
    await page.waitFor('=>document.activeElement.matches("tbody tr:first-child a")')
    await page.press('x')
    await page.waitFor(says('1 selected'))
    await page.press('j')
    await page.waitFor('=>document.activeElement.matches("tbody tr:nth-child(2) a")')
    await page.press('Shift+X')
    await page.waitFor(says('2 selected'))
    await page.click('thead .check')
    await page.waitFor(says('4 selected'))
    await page.press('q')
    await page.waitFor('dialog[open] .letters-sum')
    const counted = await page.evaluate(
      `Object.fromEntries([...document.querySelectorAll('dialog[open] [data-outcome]')]
        .map((row) => [row.dataset.outcome, Number(row.querySelector('b').innerText)]))`,
    )
    expect(counted).toEqual({ messages: 3, webhooks: 1, again: 3, twice: 1 })
    expect(await page.text('dialog[open] button[type="submit"]')).toBe('Requeue 4')
    await expectAccessible(page)
    await page.type('dialog[open] textarea', 'the template is there')
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('4 requeued.'))
    await page.click('dialog[open] .dialog-foot button')
    await until('all are out', () => world.acceptedFor(to).length === 3)
    for (const { id } of [...letters, lost]) {
      const { json } = await api('GET', `/dlq?state=requeued&q=${id}`)
      expect(json.data).toMatchObject([{ decision_reason: 'the template is there' }])
    }
    // It cannot be read this time either, and waits for a decision of its own.
    await page.waitFor(
      '=>document.querySelectorAll("tbody tr").length === 1 || !!document.querySelector(".letters-new button")',
    )
    await page.close()
  })

  test('all that match are chosen at once, by the filter of the address', async () => {
    const to = await customer('Dewi Larasati')
    for (let count = 0; count < 3; count++) await dies(to)
    const page = await open('/dead-letters?q=Dewi')
    await page.waitFor('=>document.querySelectorAll("tbody tr").length === 3')
    await page.waitFor(says('3 wait for a decision'))
    await page.click('tbody tr:first-child .check')
    await page.waitFor(says('1 selected'))
    await page.click('.letters-bulk .ghost')
    await page.waitFor(says('All 3 that match'))
    await page.click('.letters-bulk .danger')
    await page.waitFor('dialog[open] .letters-sum')
    expect(await page.text('dialog[open] button[type="submit"]')).toBe('Discard 3')
    await page.type('dialog[open] textarea', 'sent by hand')
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('3 discarded.'))
    await page.click('dialog[open] .dialog-foot button')
    await page.waitFor(says('No dead letter fits'))
    await page.close()
  })

  test('who comes second hears who was first, and sees what was decided', async () => {
    const other = await world.person('admin', firm.id, 'Rui Sequeira')
    const { id } = await dies(await customer('Agus Hartono'))
    const page = await open(`/dead-letters/${id}`)
    await page.waitFor('.letters-why')
    await page.click('.letters-inspector [data-verb="requeue"]')
    await page.waitFor('dialog[open] textarea')
    await world.gateway.call('POST', `/api/whatsapp/dlq/${id}/discard`, {
      headers: other.headers(new URL(world.gateway.url).host),
      body: { reason: 'too late' },
    })
    await page.type('dialog[open] textarea', 'approved now')
    await page.click('dialog[open] button[type="submit"]')
    await page.waitFor(says('Rui Sequeira was first: discarded'))
    await page.click('dialog[open] .dialog-foot button')
    await page.waitFor(says('Discarded by Rui Sequeira'))
    expect(await page.text(`tr:has(#letter-${id})`)).toContain('Discarded')
    await page.close()
  })

  test('what others wrote is text, wherever it is shown', async () => {
    const evil = '<img src=x onerror="window.struck=1"><script>window.struck=1</script>'
    const to = await customer(evil)
    const { id, message_id } = await dies(
      to,
      { text: { body: evil }, client_reference: evil.slice(0, 60) },
      { ...templateMissing, details: evil, title: evil },
    )
    const page = await open(`/dead-letters/${id}`)
    await page.waitFor('.letters-why')
    for (const tab of ['happened', 'payload', 'audit']) {
      await page.click(`#tab-${tab}`)
      await page.waitFor(`#tab-${tab}[aria-selected="true"]`)
    }
    await page.click('#tab-payload')
    await page.waitFor('.letters-code')
    await page.reads('.letters-code', '<script>')
    await decide(page, 'discard', evil)
    await page.waitFor(says(evil))
    await page.goto(`${world.gateway.url}/console/trace?q=${message_id}`)
    await page.waitFor('.trace-one .steps')
    await page.waitFor(says(evil))
    expect(await page.evaluate('window.struck === undefined')).toBe(true)
    expect(page.problems.filter((one) => /exception|policy/i.test(one))).toEqual([])
    await page.close()
  })

  test('a message is traced by every name it has, by its own people only', async () => {
    const to = await customer('Nadia Permata')
    const id = await world.send(firm, to, { client_reference: 'invoice 88' })
    await until('it arrived', async () => ['delivered', 'read'].includes(await statusOf(id)))
    const { wamid } = await world.read(firm, id)
    const page = await open('/inbox')
    // The inbox has the slash for a search of its own.
    await page.waitFor('[name="find"]')
    await page.press('Control+k')
    await page.waitFor('=>document.activeElement.name === "find"')
    await page.type('[name="find"]', id)
    await page.press('Enter')
    await page.waitFor('.trace-one .steps')
    await page.reads(
      '.trace-one',
      /To Nadia Permata[\s\S]*Accepted and queued[\s\S]*Try 1: accepted by Meta[\s\S]*Delivered: two ticks/,
    )
    for (const name of [wamid, 'invoice 88']) {
      await page.goto(`${world.gateway.url}/console/trace?q=${encodeURIComponent(name)}`)
      await page.waitFor('.trace-one .steps')
      await page.waitFor(says(id))
    }
    await page.goto(`${world.gateway.url}/console/trace?q=Nadia`)
    await page.waitFor('.trace-hits')
    await page.click(`.trace-hits a[href*="${id}"]`)
    await page.waitFor('.trace-one .steps')
    await expectAccessible(page)
    await page.close()

    const stranger = await world.createFirm('Quay Street')
    const theirs = await world.person('admin', stranger.id)
    const foreign = await open(`/trace?q=${id}`, theirs)
    await foreign.waitFor(says('Nothing here is called that'))
    await foreign.goto(`${world.gateway.url}/console/trace?q=${id}&message=${id}`)
    await foreign.waitFor('.trouble')
    await foreign.close()
  })

  test('agents have neither, and operators see the whole', async () => {
    const { id } = await dies(await customer('Pilar Escandón'))
    const agent = await world.person('agent', firm.id)
    const page = await open(`/dead-letters/${id}`, agent)
    await page.waitFor(says('This is not for your role'))
    expect(await page.evaluate('!!document.querySelector("[name=find]")')).toBe(false)
    await page.close()
    const operator = await world.person('operator', null)
    const whole = await open(`/dead-letters?q=${id}`, operator)
    await whole.waitFor(`#letter-${id}`)
    await whole.reads('tbody tr', 'Harbour and Finch')
    await whole.close()
  })

  test('both pages are accessible in both themes, on a phone too', async () => {
    const { id, message_id } = await dies(await customer('Ignacio Belmonte'))
    const page = await open(`/dead-letters/${id}`)
    await page.waitFor('.letters-why')
    await page.waitFor('tbody tr')
    await expectForEverybody(page)
    await page.click('#tab-payload')
    await page.waitFor('.letters-code')
    await page.click('.letters-inspector [data-verb="requeue"]')
    await page.waitFor('dialog[open] textarea')
    await expectForEverybody(page)
    await page.colorScheme('dark')
    await page.goto(`${world.gateway.url}/console/trace?q=${message_id}`)
    await page.waitFor('.trace-one .steps')
    await expectForEverybody(page)
    await page.resize(390, 800)
    await page.goto(`${world.gateway.url}/console/dead-letters`)
    await page.waitFor('tbody tr')
    await expectAccessible(page)
    await page.click(`#letter-${id}`)
    await page.waitFor('.letters-why')
    await page.waitFor('=>document.querySelector(".letters-main").getClientRects().length === 0')
    await expectAccessible(page)
    await page.click('.letters-back')
    await page.waitFor('tbody tr')
    await page.close()
  })
})
