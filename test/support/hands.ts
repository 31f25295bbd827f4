// What a person's hands do on the console's page: press what is called so, write where it says so, and look.
import { expect } from 'vitest'
import type { Page } from './chromium.ts'

const quoted = (text: string) => JSON.stringify(text)

/** The dialog on top, where there is one: what is behind it cannot be reached. */
const top = `([...document.querySelectorAll('dialog[open]')].at(-1) ?? document)`

/** Everything that can be pressed now and says so in a line of its own, or is called so where it has no words. */
const pressable = (
  words: string,
) => `[...${top}.querySelectorAll('button, a, summary, [role^="menuitem"]')]
  .filter((one) => one.checkVisibility() && !one.closest('[inert]') &&
    !one.matches(':disabled, [aria-disabled="true"]') &&
    (one.innerText.split('\\n').some((line) => line.trim() === ${quoted(words)}) ||
      one.getAttribute('aria-label') === ${quoted(words)}))`

/** Of several the last one: menus open behind what they belong to. */
export function press(page: Page, words: string): Promise<void> {
  // Looked for and pressed in one go: nothing moves in between.
  return page.waitFor(
    `=> (() => {
      const found = ${pressable(words)}.at(-1)
      found?.focus()
      found?.click()
      return found !== undefined
    })()`,
    `something to press that says ${words}`,
  )
}

/** Whether nobody could press such a thing. */
export const isMissing = (page: Page, words: string): Promise<boolean> =>
  page.evaluate(`${pressable(words)}.length === 0`)

/** Until the page, or the dialog on top of it, says this. */
export function says(page: Page, words: string): Promise<void> {
  const where = `(${top} === document ? document.body : ${top})`
  return page.waitFor(
    `=> ${where}.innerText.replaceAll(/\\s+/g, ' ').includes(${quoted(words)})`,
    quoted(words),
  )
}

/** Until it does not say it any more. */
export function saysNoMore(page: Page, words: string): Promise<void> {
  return page.waitFor(
    `=> !document.body.innerText.replaceAll(/\\s+/g, ' ').includes(${quoted(words)})`,
    `no more ${quoted(words)}`,
  )
}

/** Until no dialog is open. */
export const noDialog = (page: Page) =>
  page.waitFor(`=> document.querySelector('dialog[open]') === null`, 'no dialog')

/** Instead of what is in it. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  const field = `${top}.querySelector('[name=${quoted(name)}]')`
  // Looked for and marked in one go, as above.
  await page.waitFor(
    `=> (() => {
      const field = ${field}
      document.querySelectorAll('[data-filled]').forEach((one) => one.removeAttribute('data-filled'))
      field?.setAttribute('data-filled', '')
      field?.focus()
      field?.select()
      return field !== null
    })()`,
    `the field ${name}`,
  )
  await page.type('[data-filled]', text)
  await page.waitFor(`=> ${field}?.value !== ''`, `something in the field ${name}`)
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
