// What the pages of the guide and the API reference have in common: their head, their colours and their type.

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

const places = [
  ['guide', '/docs/guide', 'Guide'],
  ['reference', '/docs', 'API reference'],
] as const

const logo =
  '<svg viewBox="0 0 28 28" width="24" height="24" aria-hidden="true"><rect width="28" height="28" rx="7" fill="#7a2e8f"/>' +
  '<path d="m7.5 18.5 6-9M14.5 18.5l6-9" stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none"/></svg>'

/** `more`: what stands at its end. The button opens `#menu` where the screen is too narrow to show it. */
export function pageHeader(here: (typeof places)[number][0] | '', more = ''): string {
  const links = places.map(
    ([name, address, text]) =>
      `<a href="${address}"${name === here ? ' aria-current="true"' : ''}>${text}</a>`,
  )
  return `<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<button class="menu-button" type="button" popovertarget="menu" aria-label="Menu"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M3 6h14M3 10h14M3 14h14" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg></button>
<a class="brand" href="/docs/guide" aria-label="Estafet, documentation">${logo}<b>Estafet</b></a>
<nav class="places" aria-label="Documentation">${links.join('')}</nav>
${more}</header>`
}

/** Roles of colours as in the console (console/styles/tokens.css), light and dark. */
const tokens = `
@font-face { font-family: "Inter Variable"; src: url("/docs/inter-latin.woff2") format("woff2"); font-weight: 100 900;
  font-display: swap }
:root { color-scheme: light dark;
  --font: "Inter Variable", ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --surface: #ffffff; --surface-2: #fafafb; --hover: #f3f3f6; --active: #eaeaef; --border: #e4e4e9;
  --border-strong: #d0d0d8; --border-control: #8b8b98; --text: #1a1a1f; --text-2: #4e4e59; --text-3: #666672;
  --accent: #7a2e8f; --accent-text: #74298a; --accent-soft: #f7eefa; --accent-line: #e3cbea; --ok: #14693f;
  --warn: #825000; --bad: #ad2317; --info: #1b5aae;
  --pop: 0 1px 2px rgb(20 18 26 / .06), 0 12px 32px rgb(20 18 26 / .14) }
@media (prefers-color-scheme: dark) { :root {
  --surface: #17171b; --surface-2: #1c1c21; --hover: #1e1e23; --active: #28282f; --border: #29292f;
  --border-strong: #3b3b44; --border-control: #757582; --text: #ededf1; --text-2: #b9b9c3; --text-3: #9797a3;
  --accent: #9a48b3; --accent-text: #dca9ec; --accent-soft: #2a1c31; --accent-line: #51325c; --ok: #6bd29b;
  --warn: #f0b955; --bad: #ff9387; --info: #8dbcf7;
  --pop: 0 0 0 1px #3b3b44, 0 16px 40px rgb(0 0 0 / .5) } }
`

/** Head, side navigation, text, code and tables. */
export const frameStyle = `${tokens}
* { box-sizing: border-box; scrollbar-color: var(--border-strong) transparent }
html {  scroll-padding-top: 80px; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--surface); color: var(--text); font: 16px/1.65 var(--font);
  font-feature-settings: "cv05", "ss03"; -webkit-font-smoothing: antialiased }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; border-radius: 4px }
a { color: var(--accent-text); text-decoration-color: var(--accent-line); text-underline-offset: 3px }
a:hover { text-decoration-color: currentColor }
code { font: 0.875em/1.5 var(--mono); overflow-wrap: break-word }
:not(pre) > code { background: var(--surface-2); border: 1px solid var(--border); border-radius: 5px; padding: 0.06em 0.32em;
  -webkit-box-decoration-break: clone; box-decoration-break: clone }
pre { background: var(--surface-2); border: 1px solid var(--border); border-radius: 10px; padding: 14px 16px; overflow-x: auto;
  font: 13.5px/1.6 var(--mono); scrollbar-width: thin }
pre code { font: inherit }
.skip { position: absolute; left: -999px }
.skip:focus { left: 8px; top: 8px; z-index: 9; background: var(--surface); padding: 8px 12px }

.top { position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 20px; height: 56px; padding: 0 24px;
  background: var(--surface); border-bottom: 1px solid var(--border) }
.brand { display: flex; align-items: center; gap: 9px; color: var(--text); text-decoration: none; font-size: 16px;
  letter-spacing: -0.01em }
.places { display: flex; gap: 4px; font-size: 14px }
.places a { padding: 5px 10px; border-radius: 6px; color: var(--text-2); text-decoration: none; font-weight: 500;
  white-space: nowrap }
.places a:hover { background: var(--hover) }
.places a[aria-current] { color: var(--accent-text); background: var(--accent-soft) }
.menu-button { display: none; width: 40px; height: 40px; margin: 0 -8px 0 -10px; padding: 0; place-items: center; border: 0;
  border-radius: 6px; background: none; color: inherit }

#menu { font-size: 14px; line-height: 1.4; padding: 24px 16px 40px 24px; overflow-y: auto; scrollbar-width: thin;
  background: var(--surface); color: inherit; border: 0; margin: 0; overscroll-behavior: contain }
#menu h2 { margin: 22px 0 6px; padding: 0 10px; font-size: 12px; font-weight: 600; letter-spacing: 0.02em; color: var(--text-3) }
#menu h2:first-child { margin-top: 0 }
#menu ul { list-style: none; margin: 0; padding: 0 }
#menu li a { display: block; padding: 5px 10px; border-radius: 6px; color: var(--text-2); text-decoration: none }
#menu li a:hover { background: var(--hover); color: var(--text) }
#menu li a[aria-current] { background: var(--accent-soft); color: var(--accent-text); font-weight: 500 }
@media (min-width: 900px) {
  #menu { display: block; position: sticky; top: 56px; width: 276px; height: calc(100vh - 56px); max-height: none;
    border-right: 1px solid var(--border) }
}
@media (max-width: 899.9px) {
  .menu-button { display: grid }
  .top { padding: 0 16px; gap: 12px }
  #menu { position: fixed; inset: 0 auto 0 0; width: min(320px, 86vw); height: 100dvh; max-height: none; padding: 16px 12px 40px;
    box-shadow: var(--pop); font-size: 15px }
  #menu li a { padding: 9px 10px }
  #menu::backdrop { background: rgb(20 18 26 / .38) }
}
@media print { .top, #menu { display: none } }
`
