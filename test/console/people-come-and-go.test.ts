// Signing in and out, links, sessions that end in the middle of something, roles, and how a person likes the page.
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
import { fill, noDialog, press, says } from '../support/hands.ts'
import { password, type SeededPerson } from '../support/people.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let firm: Firm
  let other: Firm
  const url = () => world.gateway.url

  beforeAll(async () => {
    // High: everybody here signs in from one address.
    world = await startConsole({ API_RATE_LIMIT_PER_SECOND: '100000' })
    firm = await world.createFirm('Aspen Legal')
    other = await world.createFirm('Birch Legal')
  })

  async function openDoor(place = '/'): Promise<Page> {
    const page = await world.browser.newPage({ isApart: true })
    await page.resize(1440, 900)
    await page.goto(`${url()}/console${place}`)
    return page
  }

  async function signIn(page: Page, email: string, given = password): Promise<void> {
    await fill(page, 'email', email)
    await fill(page, 'password', given)
    await press(page, 'Sign in')
  }

  const endSessions = ({ id }: SeededPerson) =>
    world.gateway.db.query(sql`
      update sessions set ended_at = now() where person_id = ${uuidOf('usr', id)}`)

  test('a wrong password is told, a right one lets in, and what was typed stays', async () => {
    const person = await world.person('admin', firm.id, 'Ada Example')
    const page = await openDoor('/people')
    await page.waitFor('input[name=email]')
    await expectForEverybody(page)
    await press(page, 'Español')
    await says(page, 'Iniciar sesión')
    expect(await page.evaluate('document.documentElement.lang')).toBe('es')
    await press(page, 'English')
    await signIn(page, person.email, 'wrong')
    await says(page, 'This e-mail and password do not belong together.')
    expect(await page.evaluate(`document.querySelector('[name=email]').value`)).toBe(person.email)
    await expectAccessible(page)
    await fill(page, 'password', password)
    await press(page, 'Show')
    expect(await page.evaluate(`document.querySelector('[name=password]').type`)).toBe('text')
    await press(page, 'Sign in')
    // The address that was wanted, not the first there is.
    await says(page, 'Who signs in to the console for Aspen Legal.')
    expect(await page.evaluate('document.title')).toBe('People · Estafet')
    await page.close()
  })

  test('who guesses is told how long to wait', async () => {
    const person = await world.person('agent', firm.id)
    const wrong = { email: person.email, password: 'wrong' }
    await world.gateway.call('POST', '/api/console/sign-in', {
      body: wrong,
      headers: { origin: url() },
    })
    // Longer than any machine takes to open a page.
    await world.gateway.db.query(sql`
      update sign_in_failures set locked_until = now() + interval '10 minutes'`)
    const page = await openDoor()
    await signIn(page, person.email)
    await page.waitFor('[role=alert]')
    await page.reads('[role=alert]', /^Too many tries\. Wait \d+ min, then try again\.$/)
    await world.gateway.db.query(sql`delete from sign_in_failures`)
    await page.close()
  })

  test('an invitation leads from the link to being signed in, once', async () => {
    const admin = await world.person('admin', firm.id, 'Ada Example')
    const page = await world.open(admin, '/people')
    await press(page, 'Invite…')
    await fill(page, 'name', 'Nia Newcomer')
    await fill(page, 'email', 'not an address')
    await press(page, 'Make the link')
    await says(page, 'This is not an e-mail address.')
    await expectAccessible(page)
    await fill(page, 'email', 'nia@aspen.example')
    await press(page, 'Make the link')
    await says(page, 'The link for Nia Newcomer')
    const link = await page.text('dialog[open] .secret span')
    expect(link).toMatch(/\/console\/welcome#[\w-]{43}$/)
    await expectAccessible(page)
    await press(page, 'Done')
    await noDialog(page)
    await says(page, 'nia@aspen.example')
    await page.close()

    const hers = await world.browser.newPage({ isApart: true })
    await hers.goto(link)
    await says(hers, 'Welcome, Nia Newcomer')
    await expectForEverybody(hers)
    await fill(hers, 'password', 'too short')
    await press(hers, 'Save and sign in')
    await hers.waitFor('[name=password][aria-invalid=true]')
    await fill(hers, 'password', 'long enough to be good')
    await press(hers, 'Save and sign in')
    await hers.waitFor('.app')
    expect(await hers.evaluate('location.href')).not.toContain('welcome')
    await hers.close()

    const again = await world.browser.newPage({ isApart: true })
    await again.goto(link)
    await says(again, 'This link is over')
    await expectAccessible(again)
    await again.close()
  })

  test('a session that ends in the middle of something loses nothing of it', async () => {
    const admin = await world.person('admin', firm.id, 'Ada Example')
    const page = await world.open(admin, '/people')
    await press(page, 'Invite…')
    await fill(page, 'name', 'Kept Name')
    await fill(page, 'email', 'kept@aspen.example')
    await endSessions(admin)
    await press(page, 'Make the link')
    await says(page, 'Your session has ended. What you wrote is still here.')
    await expectAccessible(page)
    await fill(page, 'password', 'wrong')
    await press(page, 'Sign in')
    await says(page, 'do not belong together')
    await fill(page, 'password', password)
    await press(page, 'Sign in')
    await says(page, 'Invite somebody')
    expect(await page.evaluate(`document.querySelector('[name=name]').value`)).toBe('Kept Name')
    await press(page, 'Make the link')
    await says(page, 'The link for Kept Name')
    await page.close()
  })

  test.each([
    ['what was to be saved', '/people'],
    ['the look at who is there', '/me'],
  ])('%s, refused late, ends no session that began since', async (_, held) => {
    const admin = await world.person('admin', firm.id, 'Ada Example')
    const page = await world.open(admin, '/people')
    await press(page, 'Invite…')
    await fill(page, 'name', 'Late Name')
    await fill(page, 'email', `late@${held.slice(1)}.example`)
    await page.evaluate(`{
      const { fetch } = window
      const held = new Promise((resolve) => void (window.letGo = resolve))
      window.fetch = async (address, options) => {
        const answer = await fetch(address, options)
        if (answer.status === 401 && address.endsWith('${held}')) {
          window.isHeld = true
          await held
        }
        return answer
      }
    }`)
    await endSessions(admin)
    await press(page, 'Make the link')
    // As when another tab says that something has changed.
    await page.evaluate(
      `void dispatchEvent(new StorageEvent('storage', { key: 'estafet.session' }))`,
    )
    await page.waitFor('=>window.isHeld', 'a refusal that is held back')
    await says(page, 'Your session has ended. What you wrote is still here.')
    await fill(page, 'password', password)
    await press(page, 'Sign in')
    await says(page, 'Invite somebody')
    await page.evaluate(`new Promise((resolve) => {
      window.letGo()
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)))
    })`)
    await press(page, 'Make the link')
    await says(page, 'The link for Late Name')
    expect(await page.evaluate(`document.body.innerText`)).not.toContain('session has ended')
    await page.close()
  })

  test('tabs of one browser belong to one person at a time', async () => {
    const [ada, ben] = [
      await world.person('admin', firm.id, 'Ada Example'),
      await world.person('agent', firm.id, 'Ben Example'),
    ]
    const [first, second] = [await world.browser.newPage(), await world.browser.newPage()]
    await first.goto(`${url()}/console/`)
    await signIn(first, ada.email)
    await says(first, 'You: Ada Example')
    await second.goto(`${url()}/console/people`)
    await says(second, 'Who signs in to the console for Aspen Legal.')
    await press(second, 'You: Ada Example')
    await press(second, 'Sign out')
    await second.waitFor('.door')
    await says(first, 'Your session has ended.')
    await signIn(second, ben.email)
    await says(second, 'You: Ben Example')
    // The other tab has nothing left of who was there before.
    await says(first, 'You: Ben Example')
    expect(await first.evaluate(`document.querySelector('dialog[open]')`)).toBeNull()
    await press(second, 'You: Ben Example')
    await press(second, 'Sign out everywhere')
    await second.waitFor('.door')
    await says(first, 'Your session has ended.')
    await Promise.all([first.close(), second.close()])
  })

  test('a role sees its own views, and the API refuses the rest', async () => {
    const agent = await world.person('agent', firm.id, 'Gus Example')
    const page = await world.open(agent)
    const railWords = () =>
      page.evaluate(
        `[...document.querySelectorAll('.rail > a')].map((one) => one.innerText.trim())`,
      )
    expect(await railWords()).toContain('Inbox')
    for (const view of ['people', 'audit', 'tenants']) {
      await page.goto(`${url()}/console/${view}`)
      await says(page, 'This is not for your role')
      expect(await railWords()).not.toContain(view[0]?.toUpperCase() + view.slice(1))
    }
    await expectForEverybody(page)
    const [conversation] = (
      await world.gateway.db.query(sql<{ id: string }>`select gen_random_uuid()::text as id`)
    ).map(({ id }) => `conv_${id.replaceAll('-', '')}`)
    const statuses = await page.evaluate(`Promise.all([
      '/api/whatsapp/people', '/api/whatsapp/audit', '/api/whatsapp/audit/verification', '/api/whatsapp/dlq',
      '/api/admin/tenants', '/api/admin/people', '/api/admin/audit', '/api/admin/audit/verification',
      '/api/admin/tenants/${firm.id}/api-keys', '/api/whatsapp/conversations/${conversation}',
      '/api/whatsapp/conversations',
    ].map(async (path) => (await fetch(path)).status))`)
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403, 403, 403, 404, 200])
    await page.close()

    const admin = await world.person('admin', firm.id)
    const theirs = await world.open(admin, '/tenants')
    await says(theirs, 'This is not for your role')
    // Their own data under another tenant's name would be a lie.
    await theirs.goto(`${url()}/console/people?tenant=${other.id}`)
    await says(theirs, 'There is no such tenant')
    await theirs.goto(`${url()}/console/people?tenant=${firm.id}`)
    await says(theirs, 'Who signs in to the console for Aspen Legal.')
    await theirs.close()
  })

  test('language, theme, keys and password are the person’s own', async () => {
    const admin = await world.person('admin', firm.id, 'Ada Example')
    const page = await world.open(admin, '/people')
    await press(page, 'You: Ada Example')
    await press(page, 'Dark')
    await page.waitFor(`=> document.documentElement.dataset.theme === 'dark'`)
    await expectAccessible(page)
    for (const [language, code, heading, view] of [
      ['Português', 'pt', 'Pessoas', 'Auditoria'],
      ['Indonesia', 'id', 'Orang', 'Audit'],
      ['Español', 'es', 'Personas', 'Auditoría'],
      ['English', 'en', 'People', 'Audit'],
    ] as const) {
      await press(page, language)
      await page.waitFor(`=> document.querySelector('h1')?.innerText === '${heading}'`)
      const rail = await page.text('.rail')
      expect(rail).toContain(view)
      expect(await page.evaluate('document.documentElement.lang')).toBe(code)
      expect(await page.evaluate('document.title')).toBe(`${heading} · Estafet`)
    }
    await press(page, 'Single-key shortcuts')
    await page.press('Escape')
    await page.press('?')
    await page.reload()
    await page.waitFor(`=> document.documentElement.dataset.theme === 'dark'`)
    await says(page, 'Who signs in to the console for Aspen Legal.')
    expect(await page.evaluate(`document.querySelector('dialog[open]')`)).toBeNull()
    await press(page, 'You: Ada Example')
    await press(page, 'Single-key shortcuts')
    await page.press('Escape')
    await page.press('?')
    await says(page, 'Go to Inbox')
    await expectAccessible(page)
    await page.press('Escape')
    await noDialog(page)
    // In one go: a machine that pauses between two keys makes two of them.
    await page.evaluate(
      `[...'gi'].forEach((key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))`,
    )
    await page.waitFor(`=> location.pathname.startsWith('/console/inbox')`)

    await press(page, 'You: Ada Example')
    await press(page, 'Change password…')
    await fill(page, 'current', 'wrong')
    await fill(page, 'new', 'a longer one than before')
    await press(page, 'Change password')
    await says(page, 'This is not your current password.')
    await expectAccessible(page)
    await fill(page, 'current', password)
    await press(page, 'Change password')
    await noDialog(page)
    await says(page, 'Your password is changed.')
    await page.close()
    const door = await openDoor()
    await signIn(door, admin.email, 'a longer one than before')
    await door.waitFor('.app')
    await door.close()
  })

  test('going to another view takes those who listen to its heading', async () => {
    const admin = await world.person('admin', firm.id)
    const page = await world.open(admin, '/people')
    await says(page, 'Who signs in')
    await press(page, 'Audit')
    await page.waitFor(
      `=> document.activeElement?.matches('h1') && document.activeElement.innerText === 'Audit'`,
    )
    await page.evaluate(`document.querySelector('.skip').focus()`)
    await page.press('Enter')
    await page.waitFor(`=> document.activeElement?.id === 'content'`)
    await page.close()
  })

  test('every view can be reached on a phone', async () => {
    const admin = await world.person('admin', firm.id, 'Ada Example')
    const page = await world.open(admin, '/people')
    const wide = await page.evaluate(
      `[...document.querySelectorAll('.rail > a')].map((one) => one.innerText.trim())`,
    )
    await page.resize(390, 844)
    await page.waitFor(`=> document.querySelector('.rail').getBoundingClientRect().width === 390`)
    const more = `document.querySelector('.rail-more')`
    if (await page.evaluate(`${more} !== null`)) await press(page, 'More')
    const narrow = await page.evaluate(
      `[...document.querySelectorAll('.rail a')].map((one) => one.innerText.trim())`,
    )
    expect(narrow).toEqual(wide)
    const isWithin = `[...document.querySelectorAll('.rail a')].every((one) => {
      const { left, right, height } = one.getBoundingClientRect()
      return left >= 0 && right <= 390 && height >= 44 })`
    expect(await page.evaluate(isWithin)).toBe(true)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    await expectAccessible(page)
    await page.close()
  })
})
