// Templates in a real browser: written with a preview, sent to Meta for review, approved, and sent to a person.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import { type ConsoleWorld, expectForEverybody, startConsole } from '../support/console.ts'
import { createTestFolder } from '../support/folder.ts'
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
import { pngBytes } from '../support/media.ts'
import type { SeededPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import type { Firm } from '../support/sending.ts'
import { templatesPath } from '../support/templates.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let admin: SeededPerson

  beforeAll(async () => {
    world = await startConsole({ API_RATE_LIMIT_PER_SECOND: '100000' })
    // Decisions are the test's.
    world.simulator.setGraphSettings({ template_review: { mode: 'manual' } })
    firm = await world.createFirm('Quay Street Advocates')
    admin = await world.person('admin', firm.id)
  })

  const atMeta = (name: string, wabaId = firm.wabaId) =>
    world.simulator.templates(wabaId).find((one) => one.name === name)
  const decide = (name: string, status: 'APPROVED' | 'REJECTED', reason?: string) =>
    world.simulator.changeTemplate(atMeta(name)?.id ?? '', { status, ...(reason && { reason }) })
  const seed = (name: string, more: Record<string, unknown> = {}) =>
    world.simulator.seedTemplate({
      waba_id: firm.wabaId,
      name,
      components: [{ type: 'BODY', text: 'Good morning' }],
      ...more,
    })

  async function synced(place = '/templates'): Promise<Page> {
    await world.gateway.call('POST', `${templatesPath}/sync`, { key: firm.key })
    return world.open(admin, place)
  }

  /** A customer whose window is closed. */
  async function lastWroteYesterday(): Promise<string> {
    const customer = await world.customerOf(firm)
    const path = `/api/whatsapp/conversations?q=${customer}`
    const id = await until('the conversation is there', async () => {
      const { json } = await world.gateway.call('GET', path, { key: firm.key })
      return json.data[0]?.id as string | undefined
    })
    await world.gateway.db.query(sql`
      update whatsapp_conversations
      set last_inbound_at = now() - interval '25 hours'
      where id = ${uuidOf('conv', id) ?? ''}`)
    return customer
  }

  const choose = (page: Page, name: string) => press(page, name)
  /** What the preview shows. */
  const preview = (page: Page) => page.text('.template-preview')

  test('one is written, reviewed, approved and sent', async () => {
    const page = await world.open(admin, '/templates')
    await press(page, 'Sync now')
    await says(page, '4 at Meta')
    await expectForEverybody(page)
    await press(page, 'New template')
    await fill(page, 'name', 'Court Date')
    expect(await page.evaluate('document.querySelector("[name=name]").value')).toBe('court_date')
    await fill(page, 'body', '{{client}}, the hearing is *tomorrow*.')
    await says(page, 'Begin and end with words, not with a variable.')
    await fill(page, 'body', `Dear {{client}}, the hearing is *tomorrow*. ${canary}`)
    await saysNoMore(page, 'Begin and end with words')
    await press(page, 'Send to Meta for review')
    await says(page, 'An example is needed')
    await page.waitFor('=> document.activeElement.name === "example body client"')
    await page.type('[name="example body client"]', 'Mara')
    await saysNoMore(page, 'An example is needed')
    await press(page, 'Add button')
    await press(page, 'Quick answer')
    await fill(page, 'button 0 text', 'I will be there')
    await fill(page, 'footer', 'Quay Street')
    expect((await preview(page)).replaceAll(/\s+/g, ' ').trim()).toBe(
      `Dear Mara, the hearing is tomorrow. ${canary} Quay Street I will be there`,
    )
    await expectForEverybody(page)
    await expectFitsPhone(page)
    await press(page, 'Send to Meta for review')
    await says(page, 'Meta is reviewing it.')
    expect(atMeta('court_date')).toMatchObject({
      language: 'en',
      category: 'UTILITY',
      parameter_format: 'NAMED',
      components: [
        { type: 'BODY', text: `Dear {{client}}, the hearing is *tomorrow*. ${canary}` },
        { type: 'FOOTER', text: 'Quay Street' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'I will be there' }] },
      ],
    })
    expect(await isMissing(page, 'Send it in a conversation')).toBe(true)

    decide('court_date', 'APPROVED')
    await says(page, 'It can be sent')
    const customer = await lastWroteYesterday()
    await press(page, 'Send it in a conversation')
    await page.waitFor('.inbox-row', 'the conversation')
    await page.click('.inbox-row')
    await page.waitFor('.picker-option', 'templates in the place of the composer')
    await page.type('.picker-search input', 'court date')
    await page.waitFor('=> document.querySelectorAll(".picker-option").length === 1')
    await page.click('.picker-option')
    await page.type('.picker-fields input', 'Mara Lindqvist')
    await page.waitFor(
      '=> document.querySelector(".picker-preview")?.innerText.includes("Dear Mara Lindqvist, the hearing is tomorrow.")',
      'what the customer will see',
    )
    await page.click('.picker-foot button')
    await until('Meta has it', () => world.acceptedFor(customer).length === 1)
    expect(world.acceptedFor(customer)[0]?.request.template).toMatchObject({
      name: 'court_date',
      language: { code: 'en' },
      components: [
        {
          type: 'body',
          parameters: [{ type: 'text', parameter_name: 'client', text: 'Mara Lindqvist' }],
        },
      ],
    })
    await page.waitFor(
      '=> document.querySelector("[role=log]").innerText.includes("Dear Mara Lindqvist")',
      'the message in the conversation',
    )
    await expectUnhurt(page)
  })

  test('what was written is there again, and what Meta refuses is told in its words', async () => {
    const page = await synced('/templates?new=1')
    await fill(page, 'name', 'hello world')
    await fill(page, 'body', 'Good morning')
    await press(page, 'Back')
    await press(page, 'New template')
    await page.waitFor('=> document.querySelector("[name=body]")?.value === "Good morning"')
    await page.evaluate(`(() => {
      const select = document.querySelector('[name=language]')
      select.value = 'en_US'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await says(page, 'There is a template of this name in this language already.')
    await fill(page, 'name', 'refused')
    await saysNoMore(page, 'There is a template of this name')
    world.simulator.setFault({
      fault: 'error',
      code: 100,
      subcode: 2388072,
      match: { endpoint: 'message_templates' },
      count: 1,
    })
    await press(page, 'Send to Meta for review')
    await page.waitFor('.banner.bad[role=alert]')
    await page.reads('.banner.bad', 'TEMPLATE_REFUSED')
    expect(await page.evaluate('document.querySelector("[name=body]").value')).toBe('Good morning')
    await press(page, 'Send to Meta for review')
    await says(page, 'Meta is reviewing it.')
  })

  test('a picture on top gets its sample, a code its one button', async () => {
    const file = join(createTestFolder(), 'sample.png')
    await writeFile(file, pngBytes)
    const page = await synced('/templates?new=1')
    await fill(page, 'name', 'with_picture')
    await fill(page, 'body', 'Good morning')
    await press(page, 'Picture')
    await says(page, 'Meta looks at it in its review.')
    await press(page, 'Send to Meta for review')
    await says(page, 'Meta wants to see a sample')
    await page.setFiles('input[type=file]', [file])
    await says(page, 'Meta has a sample.')
    await press(page, 'Send to Meta for review')
    await says(page, 'Meta is reviewing it.')
    expect(atMeta('with_picture')?.components[0]).toMatchObject({ type: 'HEADER', format: 'IMAGE' })

    await press(page, 'New template')
    await fill(page, 'name', 'code')
    await tick(page, 'input[value=AUTHENTICATION]')
    await says(page, 'This code expires in 10 minutes.')
    await press(page, 'Send to Meta for review')
    await says(page, 'Meta is reviewing it.')
    expect(atMeta('code')).toMatchObject({ category: 'AUTHENTICATION' })
    await expectUnhurt(page)
  })

  test('a rejected one says why and is changed; a paused one goes on; one is deleted', async () => {
    seed('said_no')
    seed('paused_one', { status: 'PAUSED' })
    seed('of_two_languages', { language: 'en' })
    seed('of_two_languages', { language: 'es' })
    const page = await synced('/templates')
    await choose(page, 'said_no')
    await says(page, 'It can be sent')
    decide('said_no', 'REJECTED', 'INVALID_FORMAT')
    await says(page, 'Variables or form are not as Meta wants them')
    await expectForEverybody(page)
    await press(page, 'Edit')
    await fill(page, 'body', 'Good evening')
    await press(page, 'Send the change to Meta')
    await says(page, 'Meta is reviewing it.')
    expect(atMeta('said_no')?.components).toMatchObject([{ text: 'Good evening' }])
    // While Meta thinks, nobody is offered what it would refuse.
    expect(await isMissing(page, 'Edit')).toBe(true)

    await choose(page, 'paused_one')
    await press(page, 'Unpause')
    await says(page, 'Meta lets it be sent again.')

    await choose(page, 'of_two_languages')
    await press(page, 'Delete…')
    await says(page, 'In all 2 languages')
    await expectForEverybody(page)
    await tick(page, 'dialog [type=radio]:not(:checked)')
    await press(page, 'Delete all 2')
    await says(page, 'of_two_languages is deleted.')
    expect(atMeta('of_two_languages')).toBeUndefined()
    await page.waitFor(
      '=> !document.querySelector(".table").innerText.includes("of_two_languages")',
    )
    await expectUnhurt(page)
  })

  test('filters and words are in the address, and languages of the page can be chosen', async () => {
    const page = await synced('/templates?q=order&show=approved')
    await says(page, 'order_update')
    expect(await page.evaluate('document.querySelectorAll("tbody tr").length')).toBe(1)
    await page.type('[type=search]', ' nowhere')
    await says(page, 'No template matches')
    expect(await page.evaluate('location.search')).toContain('q=order+nowhere')
    await press(page, 'Show all')
    await choose(page, 'order_update')
    await says(page, 'Hi Mara, order 88231 has shipped.')
    await expectFitsPhone(page)
    for (const [language, title] of [
      ['es', 'Plantillas'],
      ['pt', 'Modelos'],
      ['id', 'Templat'],
    ] as const) {
      await page.evaluate(`localStorage.setItem('estafet.language', '${language}')`)
      await page.reload()
      await page.waitFor(`=> document.querySelector('h1')?.innerText === '${title}'`)
    }
    await expectUnhurt(page)
  })

  test('an agent reads and changes nothing; strange words stay words; nothing yet is said', async () => {
    seed('strange', {
      components: [
        { type: 'HEADER', format: 'TEXT', text: canary },
        { type: 'BODY', text: `${canary} *bold*` },
        { type: 'FOOTER', text: canary },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: '<b>press</b>' }] },
      ],
    })
    await world.gateway.call('POST', `${templatesPath}/sync`, { key: firm.key })
    const agent = await world.open(await world.person('agent', firm.id), '/templates')
    await choose(agent, 'strange')
    expect((await preview(agent)).replaceAll(/\s+/g, ' ').trim()).toBe(
      `${canary} ${canary} bold ${canary} <b>press</b>`,
    )
    for (const name of ['New template', 'Sync now', 'Edit', 'Delete…']) {
      expect(await isMissing(agent, name), name).toBe(true)
    }
    const refused = await callFromPage(agent, 'POST', `${templatesPath}/sync`)
    expect(refused.status).toBe(403)
    await expectUnhurt(agent)

    const other = await world.gateway.createTenant('Without a number')
    const page = await world.open(await world.person('admin', other.id), '/templates')
    await says(page, 'Connect a number first')
    await expectForEverybody(page)
  })
})
