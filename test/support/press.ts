// What a person does with a page: press what they read, fill in what is asked, look what it says.
import type { Page } from './chromium.ts'

/** The dialog on top, where there is one: what is behind it cannot be reached. */
const top = `([...document.querySelectorAll('dialog[open]')].at(-1) ?? document)`

/** Presses the button, link or choice with these words, or this name where it has no words. */
export async function press(page: Page, words: string): Promise<void> {
  const wanted = JSON.stringify(words)
  // Looked for and pressed in one go: nothing moves in between.
  await page.waitFor(
    `=> (() => {
      const pressable = 'button, a, [role^="menuitem"]'
      const found = [...${top}.querySelectorAll(pressable)].findLast((one) =>
        one.getClientRects().length > 0 && !one.closest('[inert]') &&
        (one.innerText.split('\\n').some((line) => line.trim() === ${wanted}) || one.getAttribute('aria-label') === ${wanted}))
      found?.focus()
      found?.click()
      return found !== undefined
    })()`,
    `something to press that says ${words}`,
  )
}

/** What is in the field is replaced. */
export async function fill(page: Page, name: string, text: string): Promise<void> {
  const selector = `[name="${name}"]`
  await page.waitFor(`=> ${top}.querySelector('${selector}') !== null`, `the field ${name}`)
  await page.evaluate(`(() => {
    document.querySelectorAll('[data-filled]').forEach((one) => one.removeAttribute('data-filled'))
    const field = ${top}.querySelector('${selector}')
    field.setAttribute('data-filled', '')
    field.focus()
    field.select()
  })()`)
  await page.type('[data-filled]', text)
}

/** Until the page, or the dialog on top of it, says this. */
export function says(page: Page, words: string): Promise<void> {
  const where = `(${top} === document ? document.body : ${top})`
  return page.waitFor(
    `=> ${where}.innerText.replaceAll(/\\s+/g, ' ').includes(${JSON.stringify(words)})`,
    `"${words}"`,
  )
}

/** Until it does not say it any more. */
export function saysNoMore(page: Page, words: string): Promise<void> {
  return page.waitFor(
    `=> !document.body.innerText.replaceAll(/\\s+/g, ' ').includes(${JSON.stringify(words)})`,
    `no more "${words}"`,
  )
}

/** Until no dialog is open. */
export const noDialog = (page: Page) =>
  page.waitFor(`=> document.querySelector('dialog[open]') === null`, 'no dialog')
