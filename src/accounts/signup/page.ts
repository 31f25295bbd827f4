// The page on which a person connects a number: HTML from the server, one script, and Meta's SDK, on this page alone.
import { createHash } from 'node:crypto'
import { noteScript, pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import type { SignupPlaces } from './places.ts'
import { refusalWords } from './refusal-words.ts'
import { type Language, pageWords } from './words.ts'

export interface PageNote {
  kind: 'ok' | 'bad'
  title: string
  text: string
  small?: string
  /** Of the sign-up that it ends, for the page that began it. */
  signupId?: string | undefined
  accountId?: string
}

export interface SignupPage {
  language: Language
  signupId: string
  tenantName: string
  /** Of the number to be reconnected. */
  displayPhoneNumber: string | null
  state: string
  appId: string
  configId: string
  places: SignupPlaces
}

export function signupPage(page: SignupPage): string {
  const { places, language } = page
  const words = pageWords[language]
  const isNew = page.displayPhoneNumber === null
  const data = {
    id: page.signupId,
    state: page.state,
    'app-id': page.appId,
    'config-id': page.configId,
    version: places.version,
    sdk: places.sdk,
    'meta-origin': places.dialogOrigin,
    words: JSON.stringify({ ...words, refusals: refusalWords[language] }),
  }
  const title = isNew ? words.connect : words.reconnect
  const names = { tenant: page.tenantName, number: page.displayPhoneNumber ?? '' }
  const redirect = new URLSearchParams({ state: page.state, lang: language })
  return document(
    { title, language, data, script: pageScript },
    `<h1>${escapeHtml(title)}</h1>
<p>${withNames(isNew ? words.connectTo : words.reconnectOf, names)}</p>
<ol>
${words.steps.map((step) => `<li>${escapeHtml(step)}</li>`).join('\n')}
</ol>
<button type="button" id="connect" disabled data-label="${escapeHtml(isNew ? words.continueWith : words.reconnectWith)}">${escapeHtml(words.loading)}</button>
<p class="other" id="other"><a href="/connect/whatsapp/redirect?${escapeHtml(redirect.toString())}">${escapeHtml(words.fullPage)}</a></p>
<div id="note" class="note" role="status" aria-live="polite" hidden></div>`,
    `<p class="foot">${escapeHtml(words.once)}</p>`,
  )
}

function withNames(sentence: string, names: Record<string, string>): string {
  return escapeHtml(sentence).replace(
    /\{(\w+)\}/g,
    (_, name: string) => `<b>${escapeHtml(names[name] ?? '')}</b>`,
  )
}

/** What came of it, for a browser that Meta sent back to us, or that has a link which is over. */
export function notePage(language: Language, note: PageNote): string {
  const { kind, title: head, text, small } = note
  const title = pageWords[language].connect
  const data = {
    kind,
    ...(note.signupId !== undefined && { id: note.signupId }),
    ...(note.accountId !== undefined && { account: note.accountId }),
  }
  return document(
    { title, language, data, script: noteScript },
    `<h1>${escapeHtml(title)}</h1>
<div class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">
<h2>${escapeHtml(head)}</h2>
<p>${escapeHtml(forPeople(text))}</p>
${small === undefined ? '' : `<small>${escapeHtml(small)}</small>`}
</div>`,
  )
}

interface Head {
  title: string
  language: Language
  data: Record<string, string>
  script: string
}

function document({ title, language, data, script }: Head, card: string, after = ''): string {
  const attributes = Object.entries(data).map(
    ([name, value]) => ` data-${name}="${escapeHtml(value)}"`,
  )
  return `<!doctype html>
<html lang="${language}"${attributes.join('')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<p class="brand"><svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M3 10h9M9 6l4 4-4 4M15 5v10"/></svg>Estafet</p>
<div class="card">
${card}
</div>
${after}
</main>
<script>${script}</script>
</body>
</html>
`
}

const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** Only this page may load and talk to Meta's SDK; it is framed by nobody, and its address goes nowhere. */
export function pageHeaders(places: SignupPlaces | null): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${digest(pageStyle)}`,
    ...(places
      ? [
          `script-src ${digest(pageScript)} ${places.sdkOrigin}`,
          `connect-src 'self' ${places.contentOrigins}`,
          `frame-src ${places.contentOrigins}`,
          `img-src ${places.contentOrigins}`,
        ]
      : [`script-src ${digest(noteScript)}`]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    // The pop-up must be able to answer.
    'cross-origin-opener-policy': places ? 'same-origin-allow-popups' : 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** Without the name of the field, which means nothing to a person. */
function forPeople(message: string): string {
  const words = message.replace(/^[a-z_]+: /, '')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function escapeHtml(text: string): string {
  const named: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => named[character] ?? '')
}
