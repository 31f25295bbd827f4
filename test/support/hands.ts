// What a person's hands do on the console's page: press what is called so, write where it says so, and look.
import { expect } from 'vitest'
import type { Page } from './chromium.ts'
import { expectAccessible } from './console.ts'

const quoted = (text: string) => JSON.stringify(text)

/** Everything that can be pressed now and is called exactly so. In a dialog, where one is open. */
const pressable = (name: string) => `[...(
  [...document.querySelectorAll('dialog[open]')].at(-1) ?? document
).querySelectorAll('button, a, summary, [role^="menuitem"]')].filter((one) =>
  one.checkVisibility() && one.getAttribute('aria-disabled') !== 'true' &&
  (one.innerText.trim() === ${quoted(name)} || one.getAttribute('aria-label') === ${quoted(name)}))`

export async function press(page: Page, name: string): Promise<void> {
  await page.waitFor(`=> ${pressable(name)}.length > 0`, `something called ${name}`)
  await page.evaluate(`${pressable(name)}[0].click()`)
}

/** Whether nobody could press such a thing. */
export const isMissing = (page: Page, name: string): Promise<boolean> =>
  page.evaluate(`${pressable(name)}.length === 0`)

export async function says(page: Page, text: string): Promise<void> {
  await page.waitFor(`=> document.body.innerText.includes(${quoted(text)})`, quoted(text))
}

export async function saysNoMore(page: Page, text: string): Promise<void> {
  await page.waitFor(`=> !document.body.innerText.includes(${quoted(text)})`, `no ${quoted(text)}`)
}

/** Instead of what is in it. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  const selector = `[name=${quoted(name)}]`
  await page.waitFor(selector)
  await page.evaluate(`document.querySelector('${selector}').focus()`)
  await page.evaluate(`document.querySelector('${selector}').select()`)
  await page.type(selector, text)
  await page.waitFor(`=> document.querySelector('${selector}').value !== ''`)
}

export async function tick(page: Page, selector: string): Promise<void> {
  await page.waitFor(selector)
  await page.evaluate(`document.querySelector(${quoted(selector)}).click()`)
}

/** What the page's own session is answered. */
export async function callFromPage(
  page: Page,
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
): Promise<{ status: number; json: any }> {
  return page.evaluate(`(async () => {
    const { csrf_token } = await (await fetch('/api/console/me')).json()
    const answer = await fetch(${quoted(path)}, {
      method: ${quoted(method)},
      headers: { 'x-csrf-token': csrf_token, 'content-type': 'application/json' },
      body: ${body === undefined ? 'undefined' : quoted(JSON.stringify(body))},
    })
    return { status: answer.status, json: await answer.json().catch(() => null) }
  })()`)
}

/** For everybody, in both themes. */
export async function expectForEverybody(page: Page): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await page.colorScheme(scheme)
    await page.waitFor(`=> document.documentElement.dataset.theme === '${scheme}'`)
    // Colours on their way from one theme to the other are nobody's.
    await page.waitFor('=> document.getAnimations().length === 0', 'rest')
    await expectAccessible(page)
  }
}

/** Text that would be more than text on a page that is not careful. */
export const canary = '<img src=x onerror="window.isHurt=1"><b>bold</b>'

export async function expectUnhurt(page: Page): Promise<void> {
  expect(await page.evaluate('window.isHurt ?? 0')).toBe(0)
  // What the API refused on purpose is told by the browser too.
  expect(page.problems.filter((one) => !/status of 4\d\d/.test(one))).toEqual([])
}

/** Nothing is wider than a phone's screen. */
export async function expectFitsPhone(page: Page): Promise<void> {
  await page.resize(390, 844)
  await page.waitFor('=> innerWidth === 390')
  const wide =
    await page.evaluate(`[...document.querySelectorAll('.main, .split-inspector, .split-list')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)`)
  expect(wide).toEqual([])
  await page.resize(1440, 900)
}
