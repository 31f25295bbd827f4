// What documents say exists: links and their anchors, settings, error codes, metrics, commands, addresses, files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { printedDocuments } from '../../site/generate/documents.ts'
import { createAnchors, readDocument } from '../../site/markdown.ts'
import { firstPage, groups } from '../../site/pages.ts'
import { plainOperations } from '../../src/api/plain-operations.ts'
import { createProgram } from '../../src/cli-program.ts'
import { settings } from '../../src/config-table.ts'
import { deliveryCodes, fileCodes, inboundCodes, messageCodes } from '../../src/errors-messages.ts'
import { errorRows } from '../../src/errors-table.ts'
import { logEvents } from '../../src/log-events.ts'
import {
  acceptedRow,
  failedWithoutReasonRow,
  lostAnswerRow,
  notSentRow,
  statusRows,
} from '../../src/meta/outcome-fallbacks.ts'
import { codeRows } from '../../src/meta/outcome-table.ts'
import { createMetrics } from '../../src/metrics.ts'
import { metricLabels } from '../../src/metrics-labels.ts'
import { packageRoot } from '../../src/package-root.ts'
import { declaredRoutes, routeName } from '../support/world.ts'
import { allDocuments, type ReadDocument } from './documents.ts'
import {
  addresses,
  capitalNames,
  capitalWord,
  commandLines,
  isRoute,
  ownNames,
  strangersInCommand,
  strangersInLabels,
} from './named-things.ts'

const documents = allDocuments()
const byFile = new Map(documents.map((document) => [document.file, document]))
const program = createProgram()

/** Hosts that documents may point to. */
const hosts = [
  ...['developers.facebook.com', 'business.facebook.com', 'www.facebook.com', 'metastatus.com'],
  ...['www.standardwebhooks.com', 'keepachangelog.com', 'semver.org', 'nodejs.org'],
  ...['www.postgresql.org', 'cloud.google.com', 'prometheus.io', 'opentelemetry.io'],
  // What runs on the reader's own machine.
  ...['127.0.0.1:8080', '127.0.0.1:8081', '127.0.0.1:8090'],
]

/** Names in capitals that are neither settings nor codes of ours, and whose they are. */
const othersNames = new Set([
  ...namesIn('compose.yaml', /\$\{(\w+)/g),
  ...namesIn('Dockerfile', /^ARG (\w+)/gm),
  // `.estafet/dev.env`, which `npm run dev` writes.
  ...['ESTAFET_URL', 'ESTAFET_KEY', 'ESTAFET_TENANT', 'ESTAFET_OPERATOR_KEY', 'SIMULATOR_URL'],
  ...['ESTAFET_PHONE_NUMBER_ID', 'CUSTOMER'],
  // The reader's own.
  'OPERATOR_KEY',
  // Of the tests: CONTRIBUTING.md.
  ...['SEED', 'TEST_POSTGRES_URL'],
  // Said by the client of what answered in the gateway's place, or did not.
  ...['NOT_OURS', 'NETWORK', 'TIMEOUT'],
  // Meta's: a template's status, an account's trouble.
  ...['PENDING', 'ACCOUNT_VIOLATION'],
  // gRPC's, from Cloud Tasks.
  ...['ALREADY_EXISTS', 'INVALID_ARGUMENT', 'UNAVAILABLE'],
  // Methods, a command of Postgres, a file.
  ...['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'LISTEN', 'LICENSE'],
  // The exporter of traces reads these itself.
  ...['OTEL_EXPORTER_OTLP_CERTIFICATE', 'OTEL_EXPORTER_OTLP_CLIENT_KEY'],
  ...['OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE', 'OTEL_EXPORTER_OTLP_COMPRESSION'],
])

/** What begins like a metric and is a role of the database, or where a dedupe store keeps its marks. */
const notMetrics = new Set(['estafet_tenant', 'estafet_system', 'estafet_dedupe'])

/** What Postgres calls our connections. */
const connections = new Set(['estafet receive', 'estafet work', 'estafet api'])

function namesIn(file: string, form: RegExp): string[] {
  const text = readFileSync(join(packageRoot, file), 'utf8')
  return [...text.matchAll(form)].map(([, name = '']) => name)
}

describe.each(documents.map((document) => [document.file, document] as const))('%s', (file, it) => {
  test('points to what is there', () => {
    expect(it.links.map((link) => problemOf(it, link)).filter(Boolean)).toEqual([])
    for (const image of it.images) {
      expect(existsSync(join(packageRoot, posix.dirname(file), image)), image).toBe(true)
    }
  })

  test('names settings, codes and metrics that there are', () => {
    const own = new Set(it.code.flatMap(({ text }) => ownNames(text)))
    const strangers = it.code.flatMap(({ text }) =>
      capitalNames(text).filter((name) => !isKnownName(name) && !own.has(name)),
    )
    expect([...new Set(strangers)]).toEqual([])
    const words = it.code.flatMap(({ language, text }) =>
      language === '' ? (capitalWord(text) ?? []) : [],
    )
    const isKnown = (word: string) => isKnownName(word) || own.has(word)
    expect(words.filter((word) => !isKnown(word))).toEqual([])
    const named = it.code.flatMap(({ text }) => text.match(/\bestafet_[a-z_]+\b/g) ?? [])
    expect([...new Set(named)].filter((name) => !isMetric(name))).toEqual([])
    expect(it.code.flatMap(({ text }) => strangersInLabels(metricLabels, text))).toEqual([])
  })

  test('names commands and options that there are', () => {
    const strangers = it.code.flatMap(({ text }) =>
      (connections.has(text) ? [] : commandLines(text)).flatMap((words) =>
        strangersInCommand(program, words).map((word) => `${words.join(' ')}: ${word}`),
      ),
    )
    expect(strangers).toEqual([])
  })

  test('names addresses and files that there are', () => {
    const lost = it.code.flatMap(({ text }) =>
      addresses(text).filter((address) => address.path !== reserved && !isRoute(routes, address)),
    )
    expect(lost).toEqual([])
    const files = it.code
      .filter(({ language, text }) => language === '' && ownFile.test(text))
      .map(({ text }) => text)
    expect(files.filter((path) => !existsSync(join(packageRoot, path)))).toEqual([])
  })
})

/** A path from the root, which documents write out where it is to be opened. */
const ownFile =
  /^(?:src|docs|deploy|test|proof|bench|site|examples|scripts|client|simulator|console|migrations)\/[\w./-]+\.(?:[cm]?[jt]sx?|md|json|ya?ml|sql|sh|tf|svg|png|css)$/

function problemOf({ file, headings }: ReadDocument, link: string): string | undefined {
  if (/^https?:/.test(link)) {
    return hosts.includes(new URL(link).host)
      ? undefined
      : `${link}: a host that is not in the list`
  }
  if (link.startsWith('/')) return isPage(link) ? undefined : `${link}: no page of the site`
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : posix.join(posix.dirname(file), path)
  if (!existsSync(join(packageRoot, target))) return `${link}: no such file`
  if (anchor === undefined) return undefined
  const known = path === '' ? headings : byFile.get(target)?.headings
  return known?.some((heading) => heading.anchor === anchor) ? undefined : `${link}: no such anchor`
}

function isPage(link: string): boolean {
  const pages = groups.flatMap((group) => group.pages.map(({ page }) => page))
  const known = ['/docs', '/llms.txt', '/openapi.json', '/console']
  return [...known, ...[firstPage, ...pages].map((page) => `/docs/${page}`)].includes(
    link.split('#')[0] ?? '',
  )
}

const knownNames = new Set<string>([
  ...Object.values(settings).map(({ variable }) => variable),
  ...errorRows.keys(),
  ...[messageCodes, inboundCodes, fileCodes, deliveryCodes].flatMap((codes) => Object.keys(codes)),
  ...[...codeRows, ...statusRows].map(({ name }) => name),
  ...[acceptedRow, failedWithoutReasonRow, lostAnswerRow, notSentRow].map(({ name }) => name),
])
const isKnownName = (name: string) =>
  knownNames.has(name) || othersNames.has(name) || /^PG_[0-9A-Z]{5}$/.test(name)

const { registry, whole } = createMetrics()
const metrics = new Map(
  [registry, whole.registry]
    .flatMap((one) => one.getMetricsAsArray() as unknown as { name: string; type: string }[])
    .map(({ name, type }) => [name, type]),
)
const isMetric = (name: string) =>
  metrics.has(name) ||
  notMetrics.has(name) ||
  metrics.get(name.replace(/_(bucket|sum|count)$/, '')) === 'histogram'

/** Where a breaking change would go. */
const reserved = '/api/v2'

const routes = [
  ...declaredRoutes().map(routeName),
  ...plainOperations.map(({ method, path }) => `${method} ${path}`),
]

describe('the documents that are printed from the code', () => {
  test.each(printedDocuments().map(({ path, text }) => [path, text]))(
    '%s is fresh',
    (path, text) => {
      const written = readFileSync(join(packageRoot, path), 'utf8')
      expect(written === text, 'Out of date: npm run docs:generate').toBe(true)
    },
  )
})

describe('the tables behind them', () => {
  const sources = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|^errors-|^log-events/.test(name))
    .map((name) => readFileSync(join(packageRoot, 'src', name), 'utf8'))
  const text = sources.join('\n')

  test('have no error code that nothing says, and give each the status it has', () => {
    const said = new Set(text.match(/\b[A-Za-z_]{4,}\b/g))
    const codes = [...errorRows.keys(), ...Object.keys({ ...messageCodes, ...fileCodes })]
    expect(codes.filter((code) => !said.has(code))).toEqual([])
    const literal = /new AppError\(\s*'(\w+)',\s*(\d{3})/g
    const wrong = [...text.matchAll(literal)].filter(
      ([, code = '', status]) => ![errorRows.get(code)?.status].flat().includes(Number(status)),
    )
    expect(wrong.map(([, ...words]) => words)).toEqual([])
  })

  test('have no event that nothing logs', () => {
    const names = Object.values(logEvents).flatMap((group) => Object.keys(group))
    const made =
      /^(outbound|delivery)_(claim_lost|claim_forgotten|broken|settle_failed|lease_lost|heartbeat_failed)$|^dead_letter_/
    expect(names.filter((name) => !text.includes(`'${name}'`) && !made.test(name))).toEqual([])
  })
})

describe('the readers of documents', () => {
  test('make anchors as GitHub does', () => {
    const anchorOf = createAnchors()
    expect(
      ['What’s *new*?', 'A/B & C', 'dead_letters-2', 'Same', 'Same', 'Same-1', 'Über uns'].map(
        (text) => anchorOf(text),
      ),
    ).toEqual(['whats-new', 'ab--c', 'dead_letters-2', 'same', 'same-1', 'same-1-1', 'über-uns'])
    const { headings } = readDocument('# `npm run` and [links](x.md)\n')
    expect(headings[0]?.anchor).toBe('npm-run-and-links')
  })

  test('find names, commands and addresses, and what there is not', () => {
    expect(capitalNames('HOST=1 X_Y {"A_B":1} lower_case')).toEqual(['X_Y', 'A_B', 'HOST'])
    expect(['DATADIR', 'DATADIR/media', 'Node', 'GET /x', 'AB'].map(capitalWord)).toEqual([
      ...['DATADIR', 'DATADIR'],
      ...[undefined, undefined, undefined],
    ])
    const labels = { estafet_a: { outcome: ['done', 'lost'], rule: { boundedBy: 'rules' } } }
    expect(
      strangersInLabels(
        labels,
        'estafet_a{outcome="done",rule="x"} estafet_a{outcome=~"done|gone"} estafet_a{outcome,kind="x"} estafet_b{rule}',
      ),
    ).toEqual(['outcome=~"done|gone"', 'kind="x"', 'rule'])
    const sample = new Command('estafet')
    const dlq = sample.command('dlq')
    dlq.command('list').option('--kind <kind>')
    dlq.command('inspect')
    const lines = commandLines('npx estafet dlq list \\\n  --kind x --sort y\nestafet dlq open')
    expect(lines.flatMap((words) => strangersInCommand(sample, words))).toEqual(['--sort', 'open'])
    expect(strangersInCommand(sample, ['dlq', 'list/inspect/burn'])).toEqual(['burn'])

    const table = ['GET /api/a/:id', 'POST /api/a', 'GET /healthz']
    const known = ['GET /api/a/x1', '"$URL/api/a/$ID"', 'POST /api/a', '/api/**', '/healthz']
    const unknown = [
      'POST /api/a/{id}',
      'http://127.0.0.1:8080/api/b',
      '/api/a/x/y',
      'GET /metrics',
    ]
    const found = (text: string) => addresses(text).map((address) => isRoute(table, address))
    expect(known.flatMap(found)).toEqual(known.map(() => true))
    expect(unknown.flatMap(found)).toEqual(unknown.map(() => false))
  })
})
