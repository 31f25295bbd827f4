// One document as HTML: anchors at headings and rows, links between pages, tables that scroll, code to copy.
import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../src/ops/docs-frame.ts'
import { type Document, type Heading, plainText, slug } from './markdown.ts'

export interface Links {
  /** Where a file of the repository is on the site; undefined when it is not. */
  pageOf(file: string): string | undefined
  /** Where a picture is served, with its size where that is known. */
  pictureOf(file: string): { address: string; width?: number; height?: number }
}

/** `file`: where the document stands in the repository. */
export function renderDocument(document: Document, file: string, links: Links): string {
  const anchors = new Map(document.headings.map((heading) => [heading.token, heading]))
  const taken = new Set(document.headings.map(({ anchor }) => anchor))
  const marked = new Marked({
    renderer: {
      heading(token) {
        return headingHtml(anchors.get(token), this.parser.parseInline(token.tokens))
      },
      link({ href, tokens }) {
        return linkHtml(hrefOf(href, file, links), href, this.parser.parseInline(tokens))
      },
      image({ href, text }) {
        const { address, width, height } = links.pictureOf(resolve(file, href))
        const size = width && height ? ` width="${width}" height="${height}"` : ''
        return `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}"${size} loading="lazy">`
      },
      code({ text, lang = '' }) {
        if (lang === 'mermaid') return transitionsHtml(text)
        const [language = ''] = lang.split(' ')
        return `<pre tabindex="0"${language ? ` data-language="${escapeHtml(language)}"` : ''}><code>${escapeHtml(text)}\n</code></pre>\n`
      },
      table({ header, rows }) {
        const names = header.map(({ text }) => text)
        const inner = ({ tokens }: Tokens.TableCell) => this.parser.parseInline(tokens)
        const head = `<tr>${header.map((cell) => (cell.text === '' ? '<td></td>' : `<th>${inner(cell)}</th>`)).join('')}</tr>`
        const body = rows.map((row) => {
          const cells = row.map((cell, at) => `<td${label(names[at])}>${inner(cell)}</td>`)
          return `<tr${rowId(row, taken)}>${cells.join('')}</tr>`
        })
        const isHeaded = names.some((name) => name !== '')
        return tableHtml(isHeaded ? head : '', body, names.length)
      },
      // Of HTML in documents only line breaks and remarks are known; everything else is text.
      html: ({ text }) =>
        /^<!--[\s\S]*-->\s*$/.test(text)
          ? ''
          : /^<br\s*\/?>$/.test(text)
            ? '<br>'
            : escapeHtml(text),
    },
  })
  return marked.parser(document.tokens)
}

/** On a phone the cells of a row stand below each other, each with its column's name. */
const label = (name = '') => (name === '' ? '' : ` data-label="${escapeHtml(name)}"`)

/** Scrolls by itself where it is too wide. */
function tableHtml(head: string, rows: string[], columns: number): string {
  const kind = columns > 2 ? 'table stacked' : 'table'
  const thead = head === '' ? '' : `<thead>${head}</thead>`
  return `<div class="${kind}" role="group" aria-label="Table" tabindex="0"><table>${thead}<tbody>${rows.join('\n')}</tbody></table></div>\n`
}

function headingHtml(heading: Heading | undefined, inner: string): string {
  if (!heading) throw new Error('bug: a heading that the document does not have')
  const { depth, anchor, text } = heading
  if (depth === 1) return `<h1 id="${anchor}">${inner}</h1>\n`
  const label = escapeHtml(`Link to ${text}`)
  return `<h${depth} id="${anchor}">${inner} <a class="anchor" href="#${anchor}" aria-label="${label}">#</a></h${depth}>\n`
}

/** A row that begins with one thing's name can be pointed at, as search does. */
export function rowAnchor(row: Tokens.TableCell[]): string | undefined {
  const [first] = row
  const [only, ...others] = first?.tokens ?? []
  if (only?.type !== 'codespan' || others.length > 0) return undefined
  return slug(plainText([only]).replace(/^--/, '')) || undefined
}

function rowId(row: Tokens.TableCell[], taken: Set<string>): string {
  const anchor = rowAnchor(row)
  if (anchor === undefined || taken.has(anchor)) return ''
  taken.add(anchor)
  return ` id="${escapeHtml(anchor)}"`
}

const isElsewhere = (href: string) => /^[a-z]+:|^\//i.test(href)

function resolve(file: string, href: string): string {
  return posix.join(posix.dirname(file), href)
}

/** Undefined: it is in the repository alone. */
function hrefOf(href: string, file: string, links: Links): string | undefined {
  if (href.startsWith('#') || isElsewhere(href)) return href
  const [path = '', anchor] = href.split('#')
  const page = links.pageOf(resolve(file, path))
  return page && `/docs/${page}${anchor === undefined ? '' : `#${anchor}`}`
}

function linkHtml(address: string | undefined, href: string, inner: string): string {
  if (address === undefined) {
    return `<span class="in-repository" title="In the repository: ${escapeHtml(href)}">${inner}</span>`
  }
  const isForeign = /^https?:/.test(address)
  return `<a href="${escapeHtml(address)}"${isForeign ? ' rel="noreferrer"' : ''}>${inner}</a>`
}

/** A diagram of states, as the list of its steps: nothing here draws pictures. */
function transitionsHtml(text: string): string {
  const steps = [...text.matchAll(/^\s*(\S+) --> (\S+?)(?:: (.*))?$/gm)]
  if (steps.length === 0) return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`
  const state = (name = '') => (name === '[*]' ? 'nothing' : `<code>${escapeHtml(name)}</code>`)
  const rows = steps.map(
    ([, from, to, why = '']) =>
      `<tr><td>${state(from)}</td><td${label('to')}>${state(to)}</td><td${label('when')}>${escapeHtml(why)}</td></tr>`,
  )
  return tableHtml('<tr><th>from</th><th>to</th><th>when</th></tr>', rows, 3)
}
