// The console in a real browser, before a real gateway whose workers run, with Meta's part played by the simulator.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, onTestFinished, TestRunner } from 'vitest'
import type { PersonRole } from '../../src/api/contract-people.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { type Browser, type Page, startChromium } from './chromium.ts'
import { type SeededPerson, seedPerson } from './people.ts'
import { resource } from './resources.ts'
import { type Sending, startSending } from './sending.ts'

export interface ConsoleWorld extends Sending {
  browser: Browser
  /** Somebody who is signed in, in a browser of their own, at this address below /console. */
  open(person: SeededPerson, place?: string): Promise<Page>
  person(role: PersonRole, tenantId: string | null, name?: string): Promise<SeededPerson>
}

export async function startConsole(
  environment: Record<string, string> = {},
): Promise<ConsoleWorld> {
  const sending = await startSending(
    { ROLES: 'api,worker,console', ...environment },
    { clock: systemClock },
  )
  await resource('console')
  const browser = await startChromium()
  const { url, db } = sending.gateway
  return {
    ...sending,
    browser,
    person: (role, tenantId, name) => seedPerson(db, { role, tenantId, ...(name && { name }) }),
    async open(person, place = '/') {
      const page = await browser.newPage({ isApart: true, isHasty: true })
      // Left open it would ask the gateway, ten times as often as people's pages do, until the end of the file.
      if (TestRunner.getCurrentTest()) onTestFinished(() => page.close())
      await page.resize(1440, 900)
      await page.setCookie(url, person.headers('').cookie ?? '')
      await page.goto(`${url}/console${place}`)
      await page.waitFor('.app', 'the console')
      return page
    },
  }
}

const axeSource = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

const everything = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
const colours = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** What keeps people with screen readers, keyboards or weak eyes from using what is shown now (WCAG 2.2 AA).
 *  `within`: a part of the page. */
export async function expectAccessible(
  page: Page,
  within?: string,
  runOnly = everything,
): Promise<void> {
  const isThere = await page.evaluate(`typeof axe === 'object'`)
  if (!isThere) await page.evaluate(`${axeSource}; 0`)
  // On its way from one theme to the other, or into sight, nothing has its colours. What turns for ever does not count.
  await page.waitFor(
    `=>!document.getAnimations().some((one) =>
      one.playState === 'running' && one.effect.getComputedTiming().endTime < Infinity)`,
    'rest',
  )
  const found =
    await page.evaluate(`axe.run(${within === undefined ? 'document' : JSON.stringify(within)}, {
    runOnly: ${JSON.stringify(runOnly)},
    resultTypes: ['violations'],
  }).then(({ violations }) => violations.map(({ id, nodes }) =>
    id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' — ' + failureSummary).join(' | ')))`)
  expect(found).toEqual([])
}

/** In both themes. The colours are all that the second one changes. */
export async function expectForEverybody(page: Page, within?: string): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await page.colorScheme(scheme)
    await page.waitFor(`=> document.documentElement.dataset.theme === '${scheme}'`)
    await expectAccessible(page, within, scheme === 'dark' ? everything : colours)
  }
}
