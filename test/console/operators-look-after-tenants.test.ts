// Tenants, keys, people and the audit, as operators and admins look after them.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { chromiumHint, chromiumRuns, type Page } from '../support/chromium.ts'
import {
  type ConsoleWorld,
  expectAccessible,
  expectForEverybody,
  startConsole,
} from '../support/console.ts'
import { operatorKey } from '../support/gateway.ts'
import { fill, noDialog, press, says, saysNoMore } from '../support/hands.ts'
import type { SeededPerson } from '../support/people.ts'
import type { Firm } from '../support/sending.ts'

const runs = chromiumRuns()

describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  let world: ConsoleWorld
  let aspen: Firm
  let birch: Firm
  let operator: SeededPerson
  const url = () => world.gateway.url

  beforeAll(async () => {
    world = await startConsole({ API_RATE_LIMIT_PER_SECOND: '100000' })
    aspen = await world.createFirm('Aspen Legal')
    birch = await world.createFirm('Birch Legal')
    operator = await world.person('operator', null, 'Ola Operator')
  })

  const address = (page: Page) => page.evaluate('location.pathname + location.search')
  const heading = (page: Page, text: string) =>
    page.waitFor(`=> document.querySelector('h1')?.innerText === '${text}'`, `the view ${text}`)

  test('a tenant is created, changed, suspended and let work again', async () => {
    const page = await world.open(operator, '/tenants')
    await says(page, 'Birch Legal')
    await expectForEverybody(page)
    await press(page, 'Create a tenant…')
    await fill(page, 'name', 'Cedar Legal')
    await fill(page, 'slug', 'Not A Slug')
    await fill(page, 'max_concurrency', '0')
    await press(page, 'Create')
    await says(page, 'Lower-case letters, digits and dashes, at most 63.')
    await says(page, 'A whole number from 1 to 1,000.')
    await expectAccessible(page)
    await fill(page, 'slug', 'cedar')
    await fill(page, 'max_concurrency', '7')
    await press(page, 'Create')
    await noDialog(page)
    await page.waitFor(`=> /^\\/console\\/tenants\\/[0-9a-f-]{36}$/.test(location.pathname)`)
    await page.waitFor('.tenants-details')
    await says(page, 'Sends at once 7')

    await press(page, 'Change…')
    await fill(page, 'name', 'Cedar & Sons')
    await press(page, 'Save')
    await noDialog(page)
    await page.waitFor(
      `=> document.querySelector('.tenants-details h2')?.innerText === 'Cedar & Sons'`,
    )

    await press(page, 'Suspend…')
    await says(page, 'What customers write is still received and stored.')
    await fill(page, 'reason', 'unpaid')
    await press(page, 'Suspend')
    await noDialog(page)
    await says(page, 'Nothing is sent for this tenant.')
    await expectForEverybody(page)
    const { data } = (await world.gateway.call('GET', '/api/admin/tenants', { key: operatorKey }))
      .json
    expect(data[0]).toMatchObject({ name: 'Cedar & Sons', slug: 'cedar', status: 'suspended' })

    await press(page, 'Suspended 1')
    await page.waitFor(`=> location.search.includes('state=suspended')`)
    await page.waitFor(`=> document.querySelectorAll('.tenants-table tbody tr').length === 1`)
    await press(page, 'Let it work again')
    await saysNoMore(page, 'Nothing is sent for this tenant.')
    await says(page, 'No tenant like that')
    await press(page, 'Show all')
    await page.type('.finder input', 'bir')
    await page.waitFor(`=> location.search.includes('q=bir')`)
    await page.waitFor(`=> document.querySelectorAll('.tenants-table tbody tr').length === 1`)
    await page.close()
  })

  test('a key is shown once, works, and is revoked', async () => {
    const page = await world.open(operator, `/tenants/${aspen.id}`)
    await press(page, 'Make a key…')
    await press(page, 'Make the key')
    await says(page, 'A name is needed.')
    await fill(page, 'name', 'billing')
    await press(page, 'Make the key')
    await says(page, 'The key billing')
    const key = await page.text('dialog[open] .secret span')
    expect(key).toMatch(/^est_[\w-]{43}$/)
    await press(page, 'Done')
    await noDialog(page)
    await says(page, 'Never used')
    expect(await page.evaluate(`document.body.innerText.includes('${key}')`)).toBe(false)
    const use = () => world.gateway.call('GET', '/api/whatsapp/accounts', { key })
    expect((await use()).status).toBe(200)

    await press(page, 'Revoke billing…')
    await says(page, 'Programs that use it get 401 from now on.')
    await expectAccessible(page)
    await press(page, 'Revoke billing')
    await noDialog(page)
    expect((await use()).status).toBe(401)
    await press(page, 'Show 1 revoked')
    await says(page, 'Revoked')
    await page.close()
  })

  test('the address says whose data is shown, and says so when there is nobody of that id', async () => {
    const page = await world.open(operator, '/people')
    await heading(page, 'People')
    await says(page, 'of all tenants, and the operators')
    await press(page, 'All tenants')
    await press(page, 'Birch Legal')
    await says(page, 'Who signs in to the console for Birch Legal.')
    expect(await address(page)).toBe(`/console/people?tenant=${birch.id}`)
    await press(page, 'Audit')
    await says(page, 'Who did what with Birch Legal’s things.')
    expect(await address(page)).toBe(`/console/audit?tenant=${birch.id}`)
    // A link given by somebody else, over what was chosen here.
    await page.goto(`${url()}/console/audit?tenant=${aspen.id}`)
    await says(page, 'Who did what with Aspen Legal’s things.')
    await page.evaluate('history.back()')
    await says(page, 'Who did what with Birch Legal’s things.')
    // What must be one tenant's is the one that was chosen, and says which.
    await page.goto(`${url()}/console/inbox`)
    await page.waitFor(`=> location.search === '?tenant=${birch.id}'`)
    for (const nobody of ['00000000-0000-7000-8000-00000000dead', 'nonsense']) {
      for (const view of ['people', 'inbox']) {
        await page.goto(`${url()}/console/${view}?tenant=${nobody}`)
        await says(page, 'There is no such tenant')
        await says(page, 'Choose a tenant')
      }
    }
    await expectForEverybody(page)
    await press(page, 'Show what I can see')
    await saysNoMore(page, 'There is no such tenant')
    expect(await address(page)).not.toContain('nonsense')
    await page.close()
  })

  test('people are invited, renamed, shut out and let in, and nobody shuts themselves out', async () => {
    const admin = await world.person('admin', birch.id, 'Ben Birch')
    const page = await world.open(operator, '/people')
    await says(page, 'Ben Birch')
    await expectForEverybody(page)
    await press(page, 'Invite…')
    await fill(page, 'name', 'Cleo Birch')
    await fill(page, 'email', admin.email)
    await press(page, 'Make the link')
    await says(page, 'Choose for whom this person works.')
    await page.evaluate(`(() => {
      const select = document.querySelector('dialog[open] [name=tenant]')
      select.value = '${birch.id}'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })()`)
    await press(page, 'Make the link')
    await says(page, 'Somebody signs in with this address already.')
    await fill(page, 'email', 'cleo@birch.example')
    await press(page, 'Make the link')
    await says(page, 'It is shown this once and works once.')
    await press(page, 'Done')
    await says(page, 'cleo@birch.example')

    const theirs = await world.open(admin, '/people')
    await says(theirs, 'cleo@birch.example')
    await press(theirs, 'Actions for Ben Birch')
    await says(theirs, 'Change name or role…')
    expect(await theirs.text('[role=menu]')).not.toContain('Shut out…')
    await theirs.press('Escape')
    await press(theirs, 'Actions for Cleo Birch')
    await press(theirs, 'Change name or role…')
    await fill(theirs, 'name', 'Cleo Renamed')
    await press(theirs, 'Admin')
    await says(theirs, 'Another role signs them out everywhere')
    await press(theirs, 'Save')
    await noDialog(theirs)
    await says(theirs, 'Cleo Renamed')
    await press(theirs, 'Actions for Cleo Renamed')
    await press(theirs, 'Make a new link…')
    await press(theirs, 'Make the link')
    await says(theirs, 'The link for Cleo Renamed')
    await press(theirs, 'Done')
    await press(theirs, 'Actions for Cleo Renamed')
    await press(theirs, 'Shut out…')
    await press(theirs, 'Shut out')
    await noDialog(theirs)
    await theirs.waitFor(`=> document.querySelector('.state.bad') !== null`, 'somebody shut out')
    await press(theirs, 'Actions for Cleo Renamed')
    await press(theirs, 'Let in again')
    await says(theirs, 'Cleo Renamed may sign in again.')
    await theirs.type('.finder input', 'nobody of this name')
    await says(theirs, 'Nobody of that name or e-mail')
    await press(theirs, 'Show everybody')
    await says(theirs, 'Ben Birch')
    await Promise.all([page.close(), theirs.close()])
  })

  test('the audit is read, asked by what and whom, and in words', async () => {
    const dogwood = await world.createFirm('Dogwood Legal')
    const admin = await world.person('admin', dogwood.id, 'Bea Dogwood')
    const body = { email: 'dana@dogwood.example', name: 'Dana Dogwood', role: 'agent' }
    const headers = admin.headers(new URL(url()).host)
    await world.gateway.call('POST', '/api/whatsapp/people', { body, headers })
    const page = await world.open(admin, '/audit')
    await says(page, 'Invited a person')
    await expectForEverybody(page)
    await press(page, 'Details: Invited a person')
    await says(page, 'person.invited')
    await expectAccessible(page)
    await press(page, 'All about this')
    await page.waitFor(`=> location.search.startsWith('?subject=usr_')`)
    await page.waitFor(`=> document.querySelectorAll('.audit-table tbody tr').length === 2`)
    expect(await page.text('.audit-table tbody')).toContain('Made a link for a person')
    await page.goto(`${url()}/console/audit?action=person.invited`)
    await page.waitFor(`=> document.querySelectorAll('.audit-table tbody tr').length > 0`)
    expect(await page.text('.audit-table tbody')).not.toContain('Made a link for a person')
    await page.goto(`${url()}/console/audit?to=2000-01-01`)
    await says(page, 'Nothing like that was done')
    await press(page, 'Clear')
    await says(page, 'Invited a person')
    expect(await address(page)).toBe('/console/audit')
    await page.close()
  })

  test('the chain is verified, and the first broken row is named', async () => {
    const page = await world.open(operator, `/audit?tenant=${aspen.id}`)
    await press(page, 'Verify the chain')
    await says(page, 'The audit is whole.')
    await expectForEverybody(page)
    await world.gateway.db.query(sql`
      update audit_log set details = '{"name": "another"}' where chain = ${aspen.id} and position = 2`)
    await press(page, 'Verify the chain')
    await says(page, 'The audit was tampered with.')
    await says(page, 'Row 2 It was changed after it was written. In the chain of Aspen Legal.')
    await expectForEverybody(page)
    await page.goto(`${url()}/console/audit`)
    await press(page, 'Verify the chain')
    await says(page, 'In the chain of Aspen Legal.')
    await page.close()
    // Of its own chain alone, whatever became of others'.
    const admin = await world.person('admin', birch.id)
    const theirs = await world.open(admin, '/audit')
    await press(theirs, 'Verify the chain')
    await says(theirs, 'The audit is whole.')
    await theirs.close()
  })
})
