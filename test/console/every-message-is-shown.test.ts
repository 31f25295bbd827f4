// Every kind of message in a real browser, and what people wrote that must not run.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleBytes } from '../../simulator/media-samples.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import { expectAccessible, expectForEverybody } from '../support/console.ts'
import { interactiveMessages, plainMessages } from '../support/messages-to-send.ts'
import { until } from '../support/program.ts'
import { template } from '../support/sending.ts'
import {
  allSent,
  conversationOf,
  everyFixture,
  processed,
  readThread,
  receive,
  secondsAgo,
  startThreads,
  type Threads,
} from '../support/thread.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let threads: Threads
  let page: Page

  beforeAll(async () => {
    threads = await startThreads()
  })
  beforeEach(() => () => page?.close().catch(() => undefined))

  test('every kind of message is shown, in and out', async () => {
    const { world, firm, agent, sendAs } = threads
    const customer = '16505550701'
    const fixtures = everyFixture(customer, new Date(Date.now() - 3_600_000))
    const isMove = ({ id }: { id: string }) => /user-changed/.test(id)
    const all = fixtures.filter((one) => !isMove(one))
    await receive(world.gateway, firm, all)
    const conversationId = await conversationOf(world.gateway, firm, customer)
    const [first, second, , fourth] = all
    const change = (id: string, seconds: number, content: Record<string, unknown>) => ({
      ...content,
      from: customer,
      id,
      timestamp: secondsAgo(seconds),
    })
    await receive(world.gateway, firm, [
      change('wamid.r', 500, {
        type: 'reaction',
        reaction: { message_id: first?.id, emoji: '🙏' },
      }),
      change('wamid.e', 490, {
        type: 'edit',
        edit: {
          original_message_id: second?.id,
          message: { type: 'text', text: { body: 'Two *planters*' } },
        },
      }),
      change('wamid.d', 480, { type: 'revoke', revoke: { original_message_id: fourth?.id } }),
      change('wamid.q', 470, {
        type: 'text',
        text: { body: 'The answer' },
        context: { id: first?.id, from: '15550172201' },
      }),
    ])
    for (const type of ['image', 'sticker', 'video', 'audio', 'document'] as const) {
      const kinds = { image: 'jpeg', sticker: 'webp', video: 'mp4', audio: 'ogg', document: 'pdf' }
      const group = { sticker: 'image', document: 'application' }[type as 'sticker'] ?? type
      const mime = `${group}/${kinds[type]}`
      const { id } = world.simulator.addCustomerFile({
        phone_number_id: firm.phoneNumberId,
        mime_type: mime,
        base64: sampleBytes(mime).toString('base64'),
      })
      world.simulator.customerWrites(customer, {
        phone_number_id: firm.phoneNumberId,
        type: type as 'image',
        [type]: { id, mime_type: mime, ...(type === 'document' && { filename: 'deed.pdf' }) },
      })
    }
    await world.simulator.settled()
    await processed(world.gateway)
    const { reaction: _, 'reaction taken back': __, ...plain } = plainMessages
    const sent = [
      ...Object.values(plain),
      ...Object.values(interactiveMessages),
      { type: 'template', template },
    ]
    for (const content of sent) await sendAs(agent, customer, content)
    await allSent(world.gateway)
    await until('the files have come', async () => {
      const { json } = await world.gateway.call('GET', '/api/whatsapp/messages?limit=200', {
        key: firm.key,
      })
      return (
        json.data.filter(
          ({ media, direction }: { media: string; direction: string }) =>
            media === 'stored' && direction === 'inbound',
        ).length === 5
      )
    })

    // Last, because from then on the customer has another number.
    await receive(world.gateway, firm, fixtures.filter(isMove))

    page = await world.open(agent, `/inbox/${conversationId}`)
    await page.waitFor('.thread-message')
    const path = `/api/whatsapp/conversations/${conversationId}/messages?limit=200`
    const { json } = await world.gateway.call('GET', path, { key: firm.key })
    const drawn = new Map((await readThread(page)).map((row) => [row.id, row]))
    const shown = json.data.filter(
      ({ type, refers_to, status }: { type: string; refers_to: unknown; status: string }) =>
        !['reaction', 'edit', 'revoke'].includes(type) || refers_to === null || status === 'failed',
    )
    expect(shown.length).toBeGreaterThan(70)
    const missing = shown.filter(({ id }: { id: string }) => !drawn.get(id)?.text.trim())
    expect(missing).toEqual([])
    expect(drawn.size).toBe(shown.length)

    const textFrom = (suffix: string) =>
      drawn.get(json.data.find(({ wamid }: { wamid: string }) => wamid?.includes(suffix))?.id)
    expect(textFrom('001-')?.html).toContain('Mara Quint reacted with 🙏')
    expect(textFrom('002-')?.text).toContain('Two planters')
    expect(textFrom('002-')?.html).toContain('<strong>planters</strong>')
    expect(textFrom('002-')?.text).toMatch(/edited ·\s+\d\d:\d\d/)
    expect(textFrom('004-')?.text).toContain('This message was deleted by its sender.')
    expect(textFrom('005-')?.text).toContain('Forwarded many times')
    expect(textFrom('006-')?.text).toContain('Came from an ad · Chat with us')
    expect(textFrom('wamid.q')?.text).toContain('The answer')
    expect(textFrom('wamid.q')?.html).toContain('thread-quote')
    expect(textFrom('017-')?.text).toContain('Viveiro Sete Folhas')
    expect(textFrom('017-')?.text).toContain('-23.561684, -46.655981')
    expect(textFrom('018-')?.text).toContain('otis@lane.example')
    expect(textFrom('020-')?.text).toContain('reacted with 👍 to a message that is not here')
    expect(textFrom('023-')?.text).toContain('Confirm')
    expect(textFrom('024-')?.text).toContain('Tuesday morning')
    expect(textFrom('025-')?.text).toContain('Ótimo "serviço"')
    expect(textFrom('027-')?.text).toContain('Calls are allowed')
    expect(textFrom('029-')?.text).toContain('US$56.99')
    expect(textFrom('030-')?.text).toContain('has a new number: +16505550177')
    expect(textFrom('034-')?.text).toContain('does not pass on')
    expect(textFrom('036-')?.text).toContain('too large')
    expect(textFrom('043-')?.text).toContain('new here: hologram')
    const whole = [...drawn.values()].map(({ text }) => text.replace(/\s+/g, ' ')).join('\n')
    for (const words of [
      ...['deed.pdf', '57 B · PDF', 'Sign up', 'Asks for a location', 'Template · order_update'],
      ...['88231', 'You · ', 'File at files.example'],
    ]) {
      expect(whole).toContain(words)
    }
    // Meta has no such files; how soon that is believed depends on how fast the machine is.
    expect(whole).toMatch(/Still being fetched from Meta|The file is no longer kept/)
    expect(page.problems).toEqual([])

    await expectForEverybody(page, '.thread')
    // From the answer to what it answers, wherever that is.
    await page.click('.thread-new')
    await page.waitFor(`=>!document.querySelector('.thread-new')`, 'the end')
    await expectAccessible(page, '.thread')
    const asked = json.data.find(({ wamid }: { wamid: string }) => wamid === 'wamid.q').id
    await page.evaluate(`(async () => {
      const log = document.querySelector('.thread-log')
      while (!document.querySelector('[data-message="${asked}"] .thread-quote')) {
        log.scrollTop -= 300
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      }
      document.querySelector('[data-message="${asked}"] .thread-quote').click()
    })()`)
    await page.waitFor('.thread-message.is-selected', 'the quoted message')
    await page.reads('.thread-message.is-selected', 'blue planter')
  })

  test('what people write is text, whatever they write', async () => {
    const { world, firm, admin, agent, sendAs, reached, markRead } = threads
    const customer = '16505550702'
    const evil = (field: string) =>
      `<img src=x onerror="window.ran='${field}'"><script>window.ran='${field}'</script></script>\u202e*b* javascript:window.ran=1`
    const link = 'javascript:window.ran=2'
    const long = 'x'.repeat(100_000)
    const person = { formatted_name: evil('card name') }
    const contents: Record<string, unknown>[] = [
      { type: 'text', text: { body: evil('text') } },
      { type: 'text', text: { body: long } },
      { type: 'image', image: { id: '1', mime_type: 'image/jpeg', caption: evil('caption') } },
      {
        type: 'document',
        document: { id: '2', mime_type: 'application/pdf', filename: evil('filename') },
      },
      { type: 'document', document: { id: '3', mime_type: 'application/pdf', filename: long } },
      {
        type: 'location',
        location: {
          latitude: 1,
          longitude: 2,
          name: evil('place'),
          address: evil('address'),
          url: link,
        },
      },
      {
        type: 'contacts',
        contacts: [
          {
            name: person,
            org: { company: evil('company') },
            phones: [{ phone: evil('phone') }],
            emails: [{ email: evil('email') }],
            urls: [{ url: link }],
          },
          { name: { formatted_name: long } },
        ],
      },
      { type: 'button', button: { text: evil('button'), payload: 'x' } },
      {
        type: 'interactive',
        interactive: {
          type: 'list_reply',
          list_reply: { id: '1', title: evil('title'), description: evil('description') },
        },
      },
      {
        type: 'interactive',
        interactive: {
          type: 'nfm_reply',
          nfm_reply: {
            name: 'flow',
            body: 'x',
            response_json: JSON.stringify({ [evil('name')]: evil('answer') }),
          },
        },
      },
      {
        type: 'order',
        order: {
          catalog_id: '1',
          text: evil('order'),
          product_items: [
            {
              product_retailer_id: evil('item'),
              quantity: 1,
              item_price: 1,
              currency: evil('currency'),
            },
          ],
        },
      },
      { type: 'system', system: { body: evil('notice'), type: 'something_else' } },
      {
        type: 'unsupported',
        unsupported: { type: evil('kind') },
        errors: [{ code: 131051, title: evil('error') }],
      },
      {
        type: 'text',
        text: { body: 'from an ad' },
        referral: { headline: evil('headline'), source_url: link },
      },
      { type: 'hologram', hologram: { inside: evil('unknown') } },
      { type: 'reaction', reaction: { message_id: 'wamid.canary.0', emoji: evil('emoji') } },
    ]
    const messages = contents.map((content, place) => ({
      ...content,
      from: customer,
      id: `wamid.canary.${place}`,
      timestamp: secondsAgo(1000 - place),
      ...(place === 1 && { context: { id: 'wamid.canary.0' } }),
    }))
    await receive(world.gateway, firm, messages, evil('profile'))
    const match = { recipient: customer }
    world.fault({
      fault: 'fail',
      code: 131026,
      title: evil('title'),
      details: evil('words'),
      match,
      count: 1,
    })
    const failed = await sendAs(agent, customer, { type: 'text', text: { body: evil('own') } })
    await reached(failed, 'failed')
    const [body] = template.components
    const parameters = body?.parameters.map(() => ({ type: 'text', text: evil('parameter') }))
    const filled = { ...template, components: [{ type: 'body', parameters }] }
    await sendAs(agent, customer, { type: 'template', template: filled })
    await sendAs(agent, customer, {
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'text', text: evil('header').slice(0, 60) },
        body: { text: evil('body') },
        footer: { text: evil('footer').slice(0, 60) },
        action: { buttons: [{ type: 'reply', reply: { id: '1', title: '<b onclick=1>' } }] },
      },
    })
    await markRead(customer)
    page = await threads.open(customer, admin)
    await page.click(`[data-message="${failed}"] .thread-deeper`)
    await page.reads(`[data-message="${failed}"]`, "window.ran='words'")

    const drawn = await readThread(page)
    const whole = drawn.map(({ text }) => text).join('\n')
    for (const field of [
      ...[
        'text',
        'caption',
        'filename',
        'place',
        'address',
        'card name',
        'company',
        'phone',
        'email',
      ],
      ...[
        'button',
        'title',
        'description',
        'name',
        'answer',
        'order',
        'item',
        'notice',
        'kind',
        'error',
      ],
      ...['headline', 'own', 'parameter', 'body'],
    ]) {
      expect(whole, field).toContain(`window.ran='${field}'`)
    }
    const found = await page.evaluate(`({
      ran: window.ran ?? null,
      elements: document.querySelectorAll('.thread img[src="x"], .thread script, .thread b[onclick]').length,
      links: [...document.querySelectorAll('.thread a')].filter((link) => !/^(https?|mailto|tel):|^\\/console/.test(link.getAttribute('href'))).length,
      isWide: document.documentElement.scrollWidth > innerWidth,
    })`)
    expect(found).toEqual({ ran: null, elements: 0, links: 0, isWide: false })
    const links = drawn.flatMap(({ html }) => html.match(/href="[^"]*"/g) ?? [])
    expect(links.filter((href) => !/^href="(https?:|mailto:|tel:|\/console)/.test(href))).toEqual(
      [],
    )
    const isWide = `[...document.querySelectorAll('.thread-message')].some((one) =>
      one.getBoundingClientRect().right > document.querySelector('.thread-log').getBoundingClientRect().right)`
    expect(await page.evaluate(isWide)).toBe(false)
    await page.resize(1100, 844)
    expect(await page.evaluate(isWide)).toBe(false)
    expect(page.problems).toEqual([])
  })
})
