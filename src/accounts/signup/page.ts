// The page on which a person connects a number: HTML from the server, one script, and Meta's SDK, on this page alone.
import { createHash } from 'node:crypto'
import { pageScript } from './page-script.ts'
import { pageStyle } from './page-style.ts'
import type { SignupPlaces } from './places.ts'

export interface PageNote {
  kind: 'ok' | 'bad'
  title: string
  text: string
  small?: string
}

export interface SignupPage {
  title: string
  tenantName: string
  /** Of the number to be reconnected. */
  displayPhoneNumber: string | null
  state: string
  appId: string
  configId: string
  places: SignupPlaces
}

export function signupPage(page: SignupPage): string {
  const { places } = page
  const data = {
    state: page.state,
    'app-id': page.appId,
    'config-id': page.configId,
    version: places.version,
    sdk: places.sdk,
    'meta-origin': places.dialogOrigin,
  }
  const attributes = Object.entries(data).map(
    ([name, value]) => ` data-${name}="${escapeHtml(value)}"`,
  )
  const label =
    page.displayPhoneNumber === null ? 'Continue with Facebook' : 'Reconnect with Facebook'
  const target =
    page.displayPhoneNumber === null
      ? `Connect a number to <b>${escapeHtml(page.tenantName)}</b>.`
      : `Reconnect <b>${escapeHtml(page.displayPhoneNumber)}</b> of <b>${escapeHtml(page.tenantName)}</b>. Messages that wait go out afterwards, in their order.`
  return document(
    attributes.join(''),
    page.title,
    `<h1>${escapeHtml(page.title)}</h1>
<p>${target}</p>
<ol>
<li>A window of Facebook opens. Sign in with an account that manages the business.</li>
<li>Choose the business, its WhatsApp account and the number.</li>
<li>Leave every permission that is asked for switched on, and finish.</li>
</ol>
<button type="button" id="connect" disabled data-label="${escapeHtml(label)}">Loading…</button>
<p class="other" id="other"><a href="/connect/whatsapp/redirect?state=${encodeURIComponent(page.state)}">Use a full page instead of a pop-up</a></p>
<div id="note" class="note" role="status" aria-live="polite" hidden></div>`,
    `<p class="foot">This link works once, for 10 minutes.</p>`,
    `<script>${pageScript}</script>`,
  )
}

/** What came of it, for a browser that Meta sent back to us, or that has a link which is over. */
export function notePage(title: string, { kind, title: head, text, small }: PageNote): string {
  return document(
    '',
    title,
    `<h1>${escapeHtml(title)}</h1>
<div class="note ${kind}" role="${kind === 'bad' ? 'alert' : 'status'}">
<h2>${escapeHtml(head)}</h2>
<p>${escapeHtml(forPeople(text))}</p>
${small === undefined ? '' : `<small>${escapeHtml(small)}</small>`}
</div>`,
  )
}

function document(
  attributes: string,
  title: string,
  card: string,
  after = '',
  script = '',
): string {
  return `<!doctype html>
<html lang="en"${attributes}>
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
${script}
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
      : []),
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
