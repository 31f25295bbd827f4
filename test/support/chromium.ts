// A real browser for tests: Chromium without a window, driven over its DevTools protocol.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterFile } from './after-file.ts'
import { type Anything, type Connection, connect } from './devtools.ts'

/** The first, Chromium without what is around a page, takes 40 % less CPU time for the same. */
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
]

/** Where Chromium is, or undefined; `CHROMIUM` names another one. */
export function findChromium(): string | undefined {
  // biome-ignore lint/style/noProcessEnv: it is the machine that is asked, not the gateway's settings.
  const { CHROMIUM, PATH = '' } = process.env
  if (CHROMIUM !== undefined) return CHROMIUM
  const folders = PATH.split(delimiter)
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return places.find((place) => existsSync(place))
}

/** What to say of a skipped test. */
export const chromiumHint = 'no Chromium here; `apt-get install chromium-headless-shell` enables it'

export interface Page {
  goto(url: string): Promise<void>
  reload(): Promise<void>
  /** Runs `expression` in the page and returns its value, which has to be JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the page decides what it is.
  evaluate(expression: string): Promise<any>
  /** Clicks the middle of the first element that matches, with a real mouse. */
  click(selector: string): Promise<void>
  /** Types into the element that matches, key by key as far as the page can tell. */
  type(selector: string, text: string): Promise<void>
  /** One key for what has the focus: `Enter`, `Escape`, `Tab`, `ArrowDown`, `j`, `Control+Enter` … */
  press(key: string): Promise<void>
  /** Puts files into a file input. */
  setFiles(selector: string, files: string[]): Promise<void>
  /** Until the selector matches something visible, or the expression (starting with `=>`) is true. */
  waitFor(selectorOrExpression: string, what?: string): Promise<void>
  /** Until the first visible element that matches says this. */
  reads(selector: string, words: string | RegExp): Promise<void>
  /** The visible text of the first element that matches, as it is now. */
  text(selector: string): Promise<string>
  resize(width: number, height: number): Promise<void>
  /** What `prefers-color-scheme` says. */
  colorScheme(scheme: 'light' | 'dark'): Promise<void>
  /** From here on the pointer is a finger, which cannot hover. */
  useFinger(): Promise<void>
  /** Cuts the page off from the network, or lets it back. */
  setOffline(offline: boolean): Promise<void>
  /** `cookie` as in a header: `name=value`. */
  setCookie(url: string, cookie: string): Promise<void>
  screenshot(file: string): Promise<void>
  /** Asked before the click that opens a window: `opened` is that window, once it is there. */
  popup(): Promise<{ opened: Promise<Page> }>
  /** Errors of scripts, refused resources and complaints on the page's console. */
  problems: string[]
  /** What the browser itself asked, such as `beforeunload`; always answered with yes. */
  dialogs: string[]
  /** May be called twice. */
  close(): Promise<void>
}

export interface PageOptions {
  /** As in another browser, with cookies of its own. */
  isApart?: boolean
  /** What the page does every few seconds it does ten times as often. */
  isHasty?: boolean
}

export interface Browser {
  newPage(options?: PageOptions): Promise<Page>
}

interface Chromium {
  connection: Connection
  /** In which the pages were that are closed: the next ones are. */
  spare: Tab[]
}

/** As another browser, with cookies of its own. */
interface BrowserContext {
  browserContextId: string
}

/** The only one of its context. */
interface Tab extends BrowserContext {
  targetId: string
}

/** One for all test files of this process, which it ends with. */
let running: Promise<Chromium> | undefined

/** What this file opens is closed after it at the latest. */
export async function startChromium(): Promise<Browser> {
  running ??= launch()
  const chromium = await running
  const { connection } = chromium
  const apart: Page[] = []
  afterFile(() => Promise.all(apart.map((page) => page.close())))
  let shared: Promise<BrowserContext> | undefined
  const openShared = async (source: string) => {
    if (shared === undefined) {
      shared = connection.call('Target.createBrowserContext')
      afterFile(async () => connection.call('Target.disposeBrowserContext', await shared))
    }
    return attach(connection, await createTab(connection, await shared), source)
  }
  return {
    async newPage({ isApart = false, isHasty = false } = {}) {
      const source = isHasty ? hastyScript : ''
      if (!isApart) return openShared(source)
      const page = await openApart(chromium, source)
      apart.push(page)
      return page
    },
  }
}

async function launch(): Promise<Chromium> {
  const program = findChromium()
  if (program === undefined) throw new Error(chromiumHint)
  const profile = await mkdtemp(join(tmpdir(), 'chromium-'))
  const child = spawn(
    program,
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-back-forward-cache',
      '--disable-breakpad',
      '--disable-crash-reporter',
      '--force-color-profile=srgb',
      // No page lives long enough to win back what optimizing its code costs: a tenth of the CPU time.
      '--js-flags=--no-opt --no-maglev --max-lazy',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    // A group of its own: Chromium is many processes, and none may stay. It is told on the fourth and answers on the fifth.
    { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true },
  )
  // It also ends by itself when this process is killed, and the pipes with it.
  process.once('exit', () => killGroup(child))
  child.once('exit', () => {
    running = undefined
  })
  // Nobody waits for it to end.
  child.unref()
  for (const pipe of child.stdio) (pipe as Socket | null)?.unref()
  return { connection: connect(child), spare: [] }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

async function createTab(connection: Connection, context: BrowserContext): Promise<string> {
  const { browserContextId } = context
  const { targetId } = await connection.call('Target.createTarget', {
    url: 'about:blank',
    browserContextId,
  })
  return targetId
}

/** In a tab that was used before, where there is one: its process is there, and has compiled what it is to show. */
async function openApart({ connection, spare }: Chromium, source: string): Promise<Page> {
  const tab = spare.pop() ?? (await createApart(connection))
  const { targetId, browserContextId } = tab
  await connection.call('Target.activateTarget', { targetId })
  return attach(connection, targetId, source, async (vacate) => {
    try {
      await closeOthers(connection, tab)
      await vacate()
      await connection.call('Storage.clearCookies', { browserContextId })
      spare.push(tab)
    } catch {
      // It shows nothing that could be left, or is gone.
      await connection.call('Target.disposeBrowserContext', { browserContextId })
    }
  })
}

/** What it opened itself. */
async function closeOthers(connection: Connection, tab: Tab): Promise<void> {
  const { targetInfos } = await connection.call('Target.getTargets')
  for (const { targetId, browserContextId } of targetInfos) {
    if (browserContextId !== tab.browserContextId || targetId === tab.targetId) continue
    await connection.call('Target.closeTarget', { targetId })
  }
}

async function createApart(connection: Connection): Promise<Tab> {
  const context = await connection.call('Target.createBrowserContext')
  return { ...context, targetId: await createTab(connection, context) }
}

const hastyScript = `{
  const { setInterval } = window
  window.setInterval = (task, ms, ...given) => setInterval(task, ms >= 1000 ? ms / 10 : ms, ...given)
}`

/** `source` runs before everything else in whatever the page shows. `end` may leave the tab as it would be new. */
async function attach(
  connection: Connection,
  targetId: string,
  source = '',
  end: (vacate: () => Promise<void>) => Promise<void> = () =>
    connection.call('Target.closeTarget', { targetId }),
): Promise<Page> {
  const attached = await connection.call('Target.attachToTarget', { targetId, flatten: true })
  const sessionId: string = attached.sessionId
  const call = (method: string, params?: object) => connection.call(method, params, sessionId)
  const problems: string[] = []
  const dialogs: string[] = []
  const loads: (() => void)[] = []
  const stopListening = connection.on((method, params, from) => {
    if (from !== sessionId) return
    if (method === 'Page.loadEventFired') for (const done of loads.splice(0)) done()
    if (method === 'Page.javascriptDialogOpening') {
      dialogs.push(params.type)
      void call('Page.handleJavaScriptDialog', { accept: true })
    }
    const problem = describeProblem(method, params)
    if (problem !== undefined) problems.push(problem)
  })
  for (const domain of ['Page', 'Runtime', 'Log']) await call(`${domain}.enable`)
  if (source) await call('Page.addScriptToEvaluateOnNewDocument', { source })

  const actions = createActions(call)
  let closing: Promise<void> | undefined
  async function loaded(start: () => Promise<unknown>): Promise<void> {
    const load = new Promise<void>((resolve) => void loads.push(resolve))
    await start()
    await load
  }
  async function vacate(): Promise<void> {
    // Had the browser itself been told to go there, it would have taken another process.
    await loaded(() => actions.evaluate(`location.replace('about:blank')`))
    await actions.evaluate(`sessionStorage.clear(); window.name = ''`)
    await call('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' })
    await call('Page.resetNavigationHistory')
    await call('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 })
    // With it goes whatever was emulated.
    await connection.call('Target.detachFromTarget', { sessionId })
  }
  async function close(): Promise<void> {
    await end(vacate)
    stopListening()
  }
  return {
    ...actions,
    problems,
    dialogs,
    goto: (url) =>
      loaded(async () => {
        const { errorText } = await call('Page.navigate', { url })
        if (errorText) throw new Error(`${url}: ${errorText}`)
      }),
    reload: () => loaded(() => call('Page.reload')),
    async popup() {
      const opened = new Promise<string>((resolve) => {
        const stop = connection.on((method, { targetInfo }) => {
          if (method !== 'Target.targetCreated' || targetInfo.openerId !== targetId) return
          stop()
          resolve(targetInfo.targetId)
        })
      })
      await connection.call('Target.setDiscoverTargets', { discover: true })
      return { opened: opened.then((id) => attach(connection, id)) }
    },
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

function describeProblem(method: string, params: Anything): string | undefined {
  if (method === 'Runtime.exceptionThrown') {
    const { exception, text } = params.exceptionDetails
    return `exception: ${exception?.description ?? text}`
  }
  if (method === 'Log.entryAdded' && params.entry.level === 'error') {
    return `log: ${params.entry.text} ${params.entry.url ?? ''}`
  }
  if (method === 'Runtime.consoleAPICalled' && params.type === 'error') {
    return `console: ${params.args.map((arg: Anything) => arg.value ?? arg.description).join(' ')}`
  }
  return undefined
}

type Call = (method: string, params?: object) => Promise<Anything>

function createActions(
  call: Call,
): Omit<Page, 'goto' | 'reload' | 'popup' | 'problems' | 'dialogs' | 'close'> {
  async function evaluate(expression: string): Promise<Anything> {
    // The browser itself holds a promise loosely: on a busy machine it was collected while it was waited for.
    const isPromise = /^(new Promise|Promise\.|\(async|axe\.run)/.test(expression)
    const { result, exceptionDetails } = await call('Runtime.evaluate', {
      expression: isPromise ? `window.waitedFor = ${expression}` : expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails === undefined) return result.value
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
  async function waitFor(wanted: string, what = wanted): Promise<void> {
    const condition = wanted.startsWith('=>') ? wanted.slice(2) : `!!(${visible(wanted)})`
    const found = await throughNavigation(() => evaluate(waitScript(condition)))
    if (!found) throw new Error(`waited in vain for ${what}; the page shows:\n${await shown()}`)
  }
  const shown = () => evaluate('document.body.innerText.slice(0, 2000)')
  async function point(selector: string): Promise<{ x: number; y: number }> {
    await waitFor(selector)
    return throughNavigation(() => evaluate(pointScript(selector)))
  }
  async function click(selector: string): Promise<void> {
    const { x, y } = await point(selector)
    const at = { x, y, button: 'left', clickCount: 1 }
    await call('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y })
    await call('Input.dispatchMouseEvent', { type: 'mousePressed', ...at })
    await call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at })
  }
  return {
    evaluate,
    waitFor,
    click,
    async type(selector, text) {
      await waitFor(selector)
      await evaluate(`${visible(selector)}.focus()`)
      await call('Input.insertText', { text })
    },
    async press(key) {
      const [name = '', modifier] = key.split('+').reverse()
      const event = {
        key: name,
        code: name,
        windowsVirtualKeyCode: keyCodes[name] ?? 0,
        modifiers: modifier === undefined ? 0 : modifiers[modifier],
      }
      const letter = name === 'Enter' ? '\r' : name
      const text = letter.length === 1 && modifier !== 'Control' ? { text: letter } : {}
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event, ...text })
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
    },
    async setFiles(selector, files) {
      const { root } = await call('DOM.getDocument')
      const { nodeId } = await call('DOM.querySelector', { nodeId: root.nodeId, selector })
      await call('DOM.setFileInputFiles', { nodeId, files })
    },
    reads: (selector, words) =>
      waitFor(`=>${isSaid(selector, words)}`, `${selector} to say ${words}`),
    async text(selector) {
      await waitFor(selector)
      return evaluate(`${visible(selector)}.innerText`)
    },
    resize: (width, height) =>
      call('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      }),
    colorScheme: (value) =>
      call('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] }),
    useFinger: () => call('Emulation.setTouchEmulationEnabled', { enabled: true }),
    async setOffline(offline) {
      // Not before: it tells of every request.
      await call('Network.enable')
      await call('Network.emulateNetworkConditions', { offline, ...asFastAsItIs })
    },
    async setCookie(url, cookie) {
      const [, name, value] = /^([^=]*)=(.*)$/.exec(cookie) ?? []
      await call('Network.setCookie', { url, name, value, secure: true, path: '/', httpOnly: true })
    },
    async screenshot(file) {
      const { data } = await call('Page.captureScreenshot', { format: 'png' })
      await writeFile(file, Buffer.from(data, 'base64'))
    },
  }
}

const asFastAsItIs = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 }

/** A page that goes elsewhere takes its scripts along; the next one is asked again. */
async function throughNavigation<T>(ask: () => Promise<T>, times = 20): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isGone = /navigated|context/i.test((error as Error).message)
    if (!isGone || times === 0) throw error
    return throughNavigation(ask, times - 1)
  }
}

const modifiers: Record<string, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 }

const keyCodes: Record<string, number> = {
  Enter: 13,
  Escape: 27,
  Tab: 9,
  ArrowUp: 38,
  ArrowDown: 40,
}

/** The first match that has a size, as an expression. */
function visible(selector: string): string {
  return `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.getClientRects().length > 0)`
}

/** Whether that says this, as an expression. */
function isSaid(selector: string, words: string | RegExp): string {
  const text = `(${visible(selector)}?.innerText ?? '')`
  if (typeof words !== 'string') return `${words}.test(${text})`
  return `${text}.includes(${JSON.stringify(words)})`
}

/** The middle of the element, once two frames found it in the same place: what still moves would be missed. */
function pointScript(selector: string): string {
  return `new Promise((resolve, reject) => {
    const giveUp = performance.now() + 120000
    let before
    function look() {
      const element = ${visible(selector)}
      element?.scrollIntoView({ block: 'nearest' })
      const { x, y, width, height } = element?.getBoundingClientRect() ?? {}
      const now = [x, y, width, height].join()
      if (element && now === before) return resolve({ x: x + width / 2, y: y + height / 2 })
      before = now
      if (performance.now() > giveUp) return reject(new Error('it never stands still'))
      // A page that is not in front may draw nothing for long.
      let isOver = false
      const again = () => { if (!isOver) { isOver = true; look() } }
      requestAnimationFrame(() => requestAnimationFrame(again))
      setTimeout(again, 250)
    }
    look()
  })`
}

/** Looks again and again, for two minutes at most. */
function waitScript(condition: string): string {
  return `new Promise((resolve) => {
    const giveUp = setTimeout(() => end(false), 120000)
    const again = setInterval(look, 50)
    function end(found) { clearTimeout(giveUp); clearInterval(again); resolve(found) }
    // What is not there yet, in the middle of a navigation, is no error.
    function look() { try { if (${condition}) end(true) } catch {} }
    look()
  })`
}

/** Whether the browser can run here at all: a container may have the program without its libraries. */
export function chromiumRuns(): boolean {
  const program = findChromium()
  return program !== undefined && spawnSync(program, ['--version']).status === 0
}
