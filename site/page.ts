// The frame of a page of the guide: head, navigation, text, contents, and where to read on.
import { readFileSync } from 'node:fs'
import { escapeHtml, pageHeader } from '../src/ops/docs-frame.ts'
import type { Heading } from './markdown.ts'
import { pageStyle } from './style.ts'

const script = readFileSync(new URL('script.js', import.meta.url), 'utf8')

export interface BuiltPage {
  page: string
  title: string
  about: string
}

export interface Frame {
  groups: { name: string; pages: BuiltPage[] }[]
  version: string
}

interface Content {
  page: string
  title: string
  about: string
  html: string
  headings?: readonly Heading[]
}

const finder = `<search class="finder" hidden>
<input type="search" placeholder="Search" aria-label="Search the documents" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd>
<ul class="found" id="found" role="listbox" aria-label="Found" hidden></ul>
</search>
`

export function pageHtml(frame: Frame, content: Content): string {
  const { page, title, about, html } = content
  const contents = contentsHtml(content.headings ?? [])
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Estafet</title>
<meta name="description" content="${escapeHtml(about)}">
<link rel="icon" href="/docs/logo.svg" type="image/svg+xml">
<style>${pageStyle}</style>
<script type="module">${script}</script>
</head>
<body>
${pageHeader('guide', finder)}
<div class="frame">
${menuHtml(frame, page)}
<div class="middle${contents ? '' : ' wide'}">
<main id="content">
${html}${turnHtml(frame, page)}
<p class="foot">Estafet ${escapeHtml(frame.version)}</p>
</main>
${contents}</div>
</div>
</body>
</html>
`
}

function menuHtml({ groups }: Frame, here: string): string {
  const item = ({ page, title }: BuiltPage) =>
    `<li><a href="/docs/${page}"${page === here ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  const sections = groups.map(
    ({ name, pages }) => `<h2>${escapeHtml(name)}</h2>\n<ul>${pages.map(item).join('\n')}</ul>`,
  )
  return `<nav id="menu" popover aria-label="Pages">\n${sections.join('\n')}\n</nav>`
}

function contentsHtml(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  const isLong = shown.length > 40
  const items = shown
    .filter(({ depth }) => depth === 2 || !isLong)
    .map(
      ({ depth, anchor, text }) =>
        `<li${depth === 3 ? ' class="deeper"' : ''}><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
    )
  if (items.length < 2) return ''
  return `<nav class="toc" aria-labelledby="toc"><h2 id="toc">On this page</h2>\n<ul>${items.join('\n')}</ul></nav>\n`
}

function turnHtml({ groups }: Frame, here: string): string {
  const pages = groups.flatMap((group) => group.pages)
  const at = pages.findIndex(({ page }) => page === here)
  if (at < 0) return ''
  const link = (to: BuiltPage | undefined, name: 'previous' | 'next', word: string) =>
    to
      ? `<a class="${name}" href="/docs/${to.page}"><small>${word}</small>${escapeHtml(to.title)}</a>`
      : ''
  return `<nav class="turn" aria-label="Read on">${link(pages[at - 1], 'previous', 'Previous')}${link(pages[at + 1], 'next', 'Next')}</nav>`
}

/** The guide's own first page: everything there is, by group. */
export function firstPageHtml({ groups }: Frame): string {
  const card = ({ page, title, about }: BuiltPage) =>
    `<li><a href="/docs/${page}"><b>${escapeHtml(title)}</b>${escapeHtml(about)}</a></li>`
  const sections = groups.map(
    ({ name, pages }) =>
      `<h2>${escapeHtml(name)}</h2>\n<ul class="cards">${pages.map(card).join('\n')}</ul>`,
  )
  return `<h1>Estafet documentation</h1>
<p>A self-hosted, multi-tenant gateway for Meta’s WhatsApp Cloud API: it keeps every webhook that it acknowledged, and applies each once;
sends every message, in order and fairly between tenants; and shows what is happening.</p>
<p>Every call with its fields and answers is in the <a href="/docs">API reference</a>. For programs that read:
<a href="/llms.txt">llms.txt</a>, and every page as Markdown under its name with <code>.md</code>.</p>
${sections.join('\n')}
`
}

export const notFoundHtml = `<h1>There is no such page</h1>
<p>It may have another name now. Look for it with <kbd>/</kbd>, in the menu, or begin at the
<a href="/docs/guide">first page</a>. The <a href="/docs">API reference</a> is a page of its own.</p>
`
