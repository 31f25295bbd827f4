// The documents as a static site: pages, their Markdown, pictures, what search looks through, llms.txt.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { packageRoot } from '../src/package-root.ts'
import { type Document, readDocument } from './markdown.ts'
import { type Frame, firstPageHtml, notFoundHtml, pageHtml } from './page.ts'
import { firstPage, groups, type PageEntry } from './pages.ts'
import { type Links, renderDocument } from './render.ts'
import { searchEntries } from './search.ts'

interface Source extends PageEntry {
  text: string
  title: string
  document: Document
}

export interface Site {
  /** By their names below /docs. */
  files: Map<string, string | Buffer>
  /** Documents of the list that are not there. */
  missing: string[]
}

const read = (file: string) => readFileSync(join(packageRoot, file), 'utf8')

export function makeSite(): Site {
  const entries = groups.flatMap(({ pages }) => pages)
  refuseStrangers(entries)
  const missing = entries.map(({ file }) => file).filter((file) => !isThere(file))
  const sources = new Map(
    entries.filter(({ file }) => isThere(file)).map((entry) => [entry.file, readSource(entry)]),
  )
  const frame: Frame = {
    version: JSON.parse(read('package.json')).version,
    groups: groups
      .map(({ name, pages }) => ({
        name,
        pages: pages.flatMap(({ file }) => sources.get(file) ?? []),
      }))
      .filter(({ pages }) => pages.length > 0),
  }
  const files: Site['files'] = new Map()
  const links = linksOf(sources, files)
  for (const source of sources.values()) {
    const { page, title, about, file, document, text } = source
    const html = renderDocument(document, file, links)
    const { headings } = document
    files.set(`${page}.html`, pageHtml(frame, { page, title, about, html, headings }))
    files.set(`${page}.md`, text)
  }
  addOwnPages(files, frame, [...sources.values()])
  return { files, missing }
}

const isThere = (file: string) => existsSync(join(packageRoot, file))

function refuseStrangers(entries: PageEntry[]): void {
  const listed = new Set(entries.map(({ file }) => file))
  const documents = readdirSync(join(packageRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  const strangers = documents.filter((file) => !listed.has(file))
  if (strangers.length > 0) throw new Error(`in no group of site/pages.ts: ${strangers.join(', ')}`)
}

function readSource(entry: PageEntry): Source {
  const text = read(entry.file)
  const document = readDocument(text)
  const titles = document.headings.filter(({ depth }) => depth === 1)
  if (titles.length !== 1) throw new Error(`${entry.file}: one heading of the first level, please`)
  return { ...entry, text, document, title: titles[0]?.text ?? '' }
}

function linksOf(sources: Map<string, Source>, files: Site['files']): Links {
  const pictures = new Map<string, string>()
  return {
    pageOf(file) {
      if (file === 'README.md') return firstPage
      return sources.get(file)?.page
    },
    pictureOf(file) {
      const name = basename(file)
      const other = pictures.get(name)
      if (other !== undefined && other !== file) throw new Error(`two pictures: ${other}, ${file}`)
      pictures.set(name, file)
      const content = readFileSync(join(packageRoot, file))
      files.set(name, content)
      return { address: `/docs/${name}`, ...sizeOf(content) }
    },
  }
}

/** So that nothing jumps when a picture arrives. A PNG says it in its first bytes. */
function sizeOf(content: Buffer): { width?: number; height?: number } {
  if (content.toString('latin1', 1, 4) !== 'PNG') return {}
  return { width: content.readUInt32BE(16), height: content.readUInt32BE(20) }
}

function addOwnPages(files: Site['files'], frame: Frame, sources: Source[]): void {
  const about = 'The documentation of Estafet, a self-hosted gateway for Meta’s WhatsApp Cloud API.'
  files.set(
    `${firstPage}.html`,
    pageHtml(frame, {
      page: firstPage,
      title: 'Documentation',
      about,
      html: firstPageHtml(frame),
    }),
  )
  files.set(
    '404.html',
    pageHtml(frame, { page: '', title: 'No such page', about, html: notFoundHtml }),
  )
  const entries = sources.flatMap(({ page, title, document }) =>
    searchEntries(page, title, document),
  )
  files.set('search.json', JSON.stringify(entries))
  files.set('llms.txt', llmsText(frame, about))
  files.set('logo.svg', read('console/public/logo.svg'))
  const require = createRequire(import.meta.url)
  const font = '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
  files.set('inter-latin.woff2', readFileSync(require.resolve(font)))
}

function llmsText({ groups }: Frame, about: string): string {
  const sections = groups.map(({ name, pages }) => {
    const lines = pages.map(({ page, title, about }) => `- [${title}](/docs/${page}.md): ${about}`)
    return `## ${name}\n\n${lines.join('\n')}`
  })
  const api = '- [OpenAPI](/openapi.json): every call with its fields, answers and errors.'
  return `# Estafet\n\n> ${about}\n\n${sections.join('\n\n')}\n\n## API\n\n${api}\n`
}

/** Each text also compressed, as the gateway sends it. */
export async function writeSite({ files }: Site, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, content] of files) {
    const bytes = Buffer.from(content)
    await writeFile(join(folder, name), bytes)
    if (!/\.(html|md|json|svg|txt)$/.test(name)) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(bytes, { params }))
    await writeFile(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
  }
}
