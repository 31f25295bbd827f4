// The documents as a site: whole, without a broken link, and good to use in a browser.
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeSite, writeSite } from '../../site/build-site.ts'
import { groups } from '../../site/pages.ts'
import { createHttpServer } from '../../src/http.ts'
import { createLog } from '../../src/log.ts'
import { mountDocs } from '../../src/ops/docs.ts'
import { mountGuide } from '../../src/ops/guide.ts'
import { systemClock, systemRandom } from '../../src/time-and-chance.ts'
import { afterFile } from '../support/after-file.ts'
import { chromiumHint, chromiumRuns, startChromium } from '../support/chromium.ts'
import { expectAccessible } from '../support/console.ts'
import { createTestFolder } from '../support/folder.ts'
import { declaredRoutes } from '../support/world.ts'

const site = makeSite()
const pages = [...site.files]
  .filter(([name]) => name.endsWith('.html'))
  .map(([name, html]) => [name.replace(/\.html$/, ''), String(html)] as const)
const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)
const byName = new Map(pages)

describe('the site', () => {
  test('has every document of its list', () => {
    expect(site.missing).toEqual([])
    const listed = groups.flatMap((group) => group.pages.map(({ page }) => page))
    expect(new Set(listed).size).toBe(listed.length)
  })

  test('has no link that leads nowhere', () => {
    const lost = pages.flatMap(([name, html]) =>
      [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
        .map(([, link = '']) => link.replaceAll('&amp;', '&'))
        .filter((link) => !/^https?:/.test(link) && !isThere(name, link))
        .map((link) => `${name}: ${link}`),
    )
    expect(lost).toEqual([])
  })

  test('tells programs of every page', () => {
    const text = String(site.files.get('llms.txt'))
    const told = [...text.matchAll(/\(\/docs\/([^)]+)\)/g)].map(([, name = '']) => name)
    const markdown = [...site.files.keys()].filter((name) => name.endsWith('.md'))
    expect(told.toSorted()).toEqual(markdown.toSorted())
  })

  test('finds every section and every named row', () => {
    const entries: { a: string }[] = JSON.parse(String(site.files.get('search.json')))
    expect(entries.map(({ a }) => a)).toEqual(
      expect.arrayContaining(['errors#backlog_full', 'configuration#port', 'runbook#circuit_open']),
    )
    expect(entries.filter(({ a }) => !isThere('', `/docs/${a}`))).toEqual([])
    expect(new Set(entries.map(({ a }) => a)).size).toBe(entries.length)
  })
})

describe.each(pages)('the page %s', (_name, html) => {
  test('has a title, one heading of the first level, and names that are its own', () => {
    expect(html).toMatch(/<title>[^<]+ · Estafet<\/title>/)
    expect(html.match(/<h1[ >]/g)).toHaveLength(1)
    expect(new Set(idsOf(html)).size).toBe(idsOf(html).length)
  })

  test('loads nothing from elsewhere', () => {
    const outside = html.replace(/<a href="https?:[^>]*>/g, '')
    expect(outside).not.toMatch(/(?:src|href|action|srcset)="(?:https?:|\/\/)|@import/i)
    expect(outside).not.toMatch(/<[^>]+ (?:style|on\w+)=/i)
  })
})

function isThere(from: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const name = path === '' ? from : path.replace(/^\/docs\//, '')
  if (['/docs', '/llms.txt', '/openapi.json', '/console'].includes(path))
    return anchor === undefined
  const html = byName.get(name)
  if (html === undefined) return path.startsWith('/docs/') && site.files.has(name)
  return anchor === undefined || idsOf(html).includes(anchor)
}

const runs = chromiumRuns()
describe.skipIf(!runs)(runs ? 'in Chromium' : `in Chromium (skipped: ${chromiumHint})`, () => {
  test('pages can be read and searched by everybody, in both themes, also on a phone', async () => {
    const folder = join(createTestFolder(), 'site')
    await writeSite({ ...site, files: new Map([...site.files].filter(isVisited)) }, folder)
    const url = await serve(folder)
    const page = await (await startChromium()).newPage()

    for (const [scheme, width, path] of [
      ['light', 1440, 'docs/dedupe'],
      ['dark', 1440, 'docs/event-webhooks'],
      ['light', 390, 'docs/tracing'],
      ['dark', 1440, 'docs'],
      ['light', 1440, 'docs/guide'],
    ] as const) {
      await page.resize(width, 900)
      await page.colorScheme(scheme)
      await page.goto(`${url}/${path}`)
      // All of the API's description is more than axe gets through in a second.
      await expectAccessible(page, path === 'docs' ? '#errors, .top' : undefined)
      const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      expect([path, await page.evaluate(overflow)]).toEqual([path, 0])
    }

    await page.press('/')
    await page.type('.finder input', 'backlog_full')
    await page.reads('.found li', 'BACKLOG_FULL')
    await expectAccessible(page)
    await page.press('Enter')
    await page.waitFor(`=>location.href === '${url}/docs/errors#backlog_full'`, 'what was found')
    await page.resize(390, 844)
    await page.click('.menu-button')
    await page.click('#menu a[href="/docs/metrics"]')
    await page.reads('h1', 'Metrics')

    await page.useFinger()
    await page.goto(`${url}/docs/sending`)
    const isBeside = `[...document.querySelectorAll('.code')].map((box) => box.querySelector('.copy').checkVisibility({ opacityProperty: true }) &&
      box.querySelector('.copy').getBoundingClientRect().bottom <= box.querySelector('code').getBoundingClientRect().top)`
    expect(new Set(await page.evaluate(isBeside))).toEqual(new Set([true]))
    expect(page.problems).toEqual([])
  })
})

/** The pages below, and whatever pages load: to compress the others as well takes two seconds. */
const isVisited = ([name]: [string, unknown]) =>
  /^(dedupe|errors|event-webhooks|guide|metrics|sending|tracing)\.html$/.test(name) ||
  !/\.(html|md)$/.test(name)

async function serve(folder: string): Promise<string> {
  const destination = { write: () => undefined }
  const hashKey = Buffer.alloc(32)
  const log = createLog({ level: 'silent', hashKey, clock: systemClock, destination })
  const app = createHttpServer({ log, clock: systemClock, random: systemRandom(systemClock) })
  mountDocs(app, declaredRoutes(), '0.0.0')
  mountGuide(app, folder)
  afterFile(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}
