// Environment → Config. The only file that reads process.env. What can be set is in config-table.ts; here is how it
// is read, what staging and production refuse, and the documentation made of it. No value is ever repeated in a
// problem or a warning: a secret pasted into the wrong variable would end up in the log of a failed start.
import type { EncryptionKey, OperatorKey, UrlType, ValueType } from './config-kinds.ts'
import type { Setting } from './config-setting.ts'
import { type SettingValues, settings } from './config-table.ts'

type CircuitSetting =
  | 'circuitFailureRatio'
  | 'circuitWindowSeconds'
  | 'circuitMinCalls'
  | 'circuitHalfOpenSeconds'

export type Config = Omit<SettingValues, CircuitSetting> & {
  circuit: {
    failureRatio: number
    windowSeconds: number
    minCalls: number
    halfOpenSeconds: number
  }
  /** For the log of the start: variables that look like ours and are not. */
  warnings: string[]
}

export interface ConfigProblem {
  variable: string
  problem: string
  fix: string
}

export class ConfigError extends Error {
  readonly problems: ConfigProblem[]
  constructor(problems: ConfigProblem[]) {
    const lines = problems.map((it) => `  ${it.variable}: ${it.problem}; ${it.fix}`)
    super(['The configuration cannot be used:', ...lines].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

type Environment = Record<string, string | undefined>
type Fault = Omit<ConfigProblem, 'variable'>
type Reading = { value: unknown } | Fault

const table: [key: string, setting: Setting][] = Object.entries(settings)

export function readConfig(
  given: Environment = process.env,
  defaults: { mode: 'start' | 'dev'; fallbacks?: Environment },
): Config {
  // What `dev` made up for itself stands in for what nobody set.
  const env = { ...defaults.fallbacks, ...present(given) }
  const problems: ConfigProblem[] = []
  const values: Record<string, unknown> = {}
  let isDevelopment = defaults.mode === 'dev'
  for (const [key, setting] of table) {
    const standard = (isDevelopment && setting.developmentDefault) || setting.default
    const text = textOf(env, setting.variable) ?? standard
    const reading = text === undefined ? absent(setting.type) : readValue(setting.type, text)
    if ('problem' in reading) problems.push({ variable: setting.variable, ...reading })
    else if (reading.value !== undefined) values[key] = reading.value
    // The first row decides the defaults of the others. When it cannot be read the mode's own environment stands.
    if (key === 'env' && 'value' in reading) isDevelopment = reading.value === 'development'
  }
  problems.push(...missing(env, values, isDevelopment))
  if (!isDevelopment) problems.push(...unsafe(values))
  if (problems.length > 0) throw new ConfigError(problems)
  return assemble(values as unknown as SettingValues, misspelled(env))
}

function assemble(values: SettingValues, warnings: string[]): Config {
  const {
    circuitFailureRatio: failureRatio,
    circuitWindowSeconds: windowSeconds,
    circuitMinCalls: minCalls,
    circuitHalfOpenSeconds: halfOpenSeconds,
    ...rest
  } = values
  return {
    ...rest,
    circuit: { failureRatio, windowSeconds, minCalls, halfOpenSeconds },
    warnings,
  }
}

function present(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()))
}

function textOf(env: Environment, variable: string): string | undefined {
  return env[variable]?.trim() || undefined
}

function absent(type: ValueType): Reading {
  const isList = type.kind === 'list' || type.kind === 'operator-keys' || type.kind === 'key-ring'
  return { value: isList ? [] : undefined }
}

function readValue(type: ValueType, text: string): Reading {
  switch (type.kind) {
    case 'text':
      return readText(type, text)
    case 'list':
      return eachOf(text, (item) => readText(type, item))
    case 'choice':
      return readChoice(type.allowed, text)
    case 'choices':
      return eachOf(text, (item) => readChoice(type.allowed, item))
    case 'integer':
    case 'decimal':
      return readNumber(type, text)
    case 'flag':
      if (/^(1|true|on|yes)$/i.test(text)) return { value: true }
      if (/^(0|false|off|no)$/i.test(text)) return { value: false }
      return { problem: 'is neither on nor off', fix: 'use 1, true, on, yes, 0, false, off or no' }
    case 'url':
      return readUrl(type, text)
    case 'operator-keys':
      return readOperatorKeys(text)
    case 'key-ring':
      return readKeyRing(text)
  }
}

function readText(type: { pattern: RegExp; form: string }, text: string): Reading {
  if (type.pattern.test(text)) return { value: text }
  return { problem: 'has the wrong form', fix: `use ${type.form}` }
}

/** Reads a comma list; the first item that cannot be read is the fault of the whole. Equal items count once. */
function eachOf(text: string, read: (item: string) => Reading): Reading {
  const items = splitList(text)
  if (items.length === 0) return { problem: 'is a list of nothing', fix: 'name at least one' }
  const readings = items.map(read)
  const fault = readings.find((reading) => 'problem' in reading)
  if (fault) return fault
  return { value: [...new Set(readings.map((it) => ('value' in it ? it.value : undefined)))] }
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

function readChoice(allowed: readonly string[], text: string): Reading {
  const value = text.toLowerCase()
  if (allowed.includes(value)) return { value }
  const meant = nearest(value, allowed)
  const hint = meant ? ` (did you mean ${meant}?)` : ''
  return { problem: 'is not a known value', fix: `use ${orList(allowed)}${hint}` }
}

function readNumber(
  type: { kind: 'integer' | 'decimal'; min: number; max: number },
  text: string,
): Reading {
  const isWhole = type.kind === 'integer'
  // Digits only: Number() would also take '', 0x10, 1e3 and Infinity.
  const value = (isWhole ? /^\d+$/ : /^\d+(\.\d+)?$/).test(text) ? Number(text) : Number.NaN
  const fix = `use one from ${type.min} to ${type.max}`
  if (Number.isNaN(value)) return { problem: `is not a ${isWhole ? 'whole ' : ''}number`, fix }
  if (value < type.min || value > type.max) return { problem: 'is out of range', fix }
  return { value }
}

function readUrl(type: UrlType, text: string): Reading {
  const schemes = orList(type.schemes.map((scheme) => `${scheme}://`))
  if (!URL.canParse(text)) {
    const fix = `use one that begins with ${schemes}, special characters percent-encoded`
    return { problem: 'is not a URL', fix }
  }
  const url = new URL(text)
  if (!type.schemes.includes(url.protocol.slice(0, -1)) || !/^[a-z]+:\/\//i.test(text)) {
    return { problem: 'is a URL of another kind', fix: `use one that begins with ${schemes}` }
  }
  if (!type.isBase) return { value: text }
  if (url.username || url.password || url.search || url.hash) {
    return { problem: 'holds more than an address', fix: 'leave out credentials, ?query and #part' }
  }
  return { value: text.replace(/\/+$/, '') }
}

function readOperatorKeys(text: string): Reading {
  const keys: OperatorKey[] = splitList(text).map((item) => {
    const colon = item.indexOf(':')
    if (colon < 0) return { name: 'operator', key: item }
    return { name: item.slice(0, colon).trim(), key: item.slice(colon + 1).trim() }
  })
  const fix = 'use name:key[,name:key…] or one bare key'
  if (keys.length === 0) return { problem: 'is a list of nothing', fix }
  if (keys.some(({ name }) => !/^[A-Za-z0-9._@-]{1,64}$/.test(name))) {
    const form = 'use 1 to 64 letters, digits, dots, hyphens, underscores or @ before the colon'
    return { problem: 'has a name of the wrong form', fix: form }
  }
  if (keys.some(({ key }) => !/^[\x21-\x7e]+$/.test(key))) {
    return { problem: 'has an empty key, or one with spaces or special letters', fix }
  }
  if (new Set(keys.map(({ key }) => key)).size < keys.length) {
    const why = 'give each name its own key, or the audit cannot tell them apart'
    return { problem: 'has the same key twice', fix: why }
  }
  return { value: keys }
}

function readKeyRing(text: string): Reading {
  const entries = splitList(text).map((item) => {
    const [id = '', encoded = ''] = item.split(':').map((part) => part.trim())
    return { id, encoded, parts: item.split(':').length }
  })
  const fix = 'use id:key[,id:key…] with keys from `openssl rand -base64 32`'
  if (entries.length === 0) return { problem: 'is a list of nothing', fix }
  if (entries.some(({ id, parts }) => parts !== 2 || !/^[A-Za-z0-9_-]{1,32}$/.test(id))) {
    const form = `${fix}; an id is 1 to 32 letters, digits, hyphens or underscores`
    return { problem: 'has an entry without a proper id', fix: form }
  }
  if (new Set(entries.map(({ id }) => id)).size < entries.length) {
    return { problem: 'has the same id twice', fix: 'give every key its own id' }
  }
  // 32 bytes are 43 characters of base64 and one of padding.
  if (entries.some(({ encoded }) => !/^[A-Za-z0-9+/_-]{43}=?$/.test(encoded))) {
    return { problem: 'has a key that is not 32 bytes in base64', fix }
  }
  const ring: EncryptionKey[] = entries.map(({ id, encoded }) => ({
    id,
    key: Buffer.from(encoded, 'base64'),
  }))
  return { value: ring }
}

function missing(
  env: Environment,
  values: Record<string, unknown>,
  isDevelopment: boolean,
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  for (const [, { variable, required, obtain }] of table) {
    if (required === undefined || textOf(env, variable) !== undefined) continue
    if (required === 'deployed') {
      const fix = obtain ?? 'set it'
      if (!isDevelopment) problems.push({ variable, problem: 'is missing', fix })
    } else if (values[required.key] === required.value) {
      const problem = `is missing, and ${settings[required.key].variable} is ${required.value}`
      problems.push({ variable, problem, fix: obtain ?? 'set it' })
    }
  }
  const { variable } = settings.databaseUrl
  if (!isDevelopment && textOf(env, variable) === undefined && values.allowEmbedded !== true) {
    const fix = 'set it to a Postgres 15 or newer, or ALLOW_EMBEDDED=1 to accept the embedded one'
    problems.push({ variable, problem: 'is missing', fix })
  }
  return problems
}

/** What is set and well formed, but no secret and no safe address; asked only of staging and production. */
function unsafe(values: Record<string, unknown>): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  for (const [key, { variable, type, minLength, obtain = 'make a random one' }] of table) {
    if (type.kind === 'url' && isPlaceholder(passwordIn(values[key]))) {
      const problem = 'has a well-known placeholder for a password'
      problems.push({ variable, problem, fix: 'change the password there and here' })
    }
    if (minLength === undefined) continue
    const secrets = secretTexts(values[key])
    if (secrets.some((secret) => secret.length < minLength)) {
      const fix = `use ${minLength} characters or more: ${obtain}`
      problems.push({ variable, problem: 'is too short', fix })
    }
    if (secrets.some(isPlaceholder)) {
      problems.push({ variable, problem: 'is a well-known placeholder', fix: obtain })
    }
  }
  const ring = (values.encryptionKeys ?? []) as EncryptionKey[]
  if (ring.some(({ key }) => key.every((byte) => byte === 0))) {
    const { variable, obtain } = settings.encryptionKeys
    problems.push({ variable, problem: 'has a key of zeros', fix: obtain })
  }
  for (const key of ['slackWebhookUrl', 'pagerdutyEventsUrl'] as const) {
    if (values.allowPrivateTargets === true || !/^http:/i.test(String(values[key]))) continue
    const fix = 'use an https:// URL, or ALLOW_PRIVATE_TARGETS=1 for one of your own network'
    problems.push({ variable: settings[key].variable, problem: 'is not https', fix })
  }
  const taskUrl = values.internalTaskBaseUrl
  if (
    values.dispatch === 'cloud-tasks' &&
    typeof taskUrl === 'string' &&
    !/^https:/i.test(taskUrl)
  ) {
    const { variable } = settings.internalTaskBaseUrl
    problems.push({ variable, problem: 'is not https', fix: 'use an https:// URL' })
  }
  return problems
}

function secretTexts(value: unknown): string[] {
  const items: unknown[] = value === undefined ? [] : Array.isArray(value) ? value : [value]
  return items.map((item) => (typeof item === 'string' ? item : (item as OperatorKey).key))
}

function passwordIn(url: unknown): string {
  return typeof url === 'string' ? new URL(url).password : ''
}

/** Only what samples and tutorials use; anything broader would refuse somebody's real passphrase. */
function isPlaceholder(secret: string): boolean {
  return (
    /(change|replace)[-_. ]?(me|this)/i.test(secret) ||
    /^(secret|password|placeholder|default|example|test|admin|none|null|undefined|todo)[-_.\d]*$/i.test(
      secret,
    ) ||
    /^dev(elopment)?([-_.\d]|$|secret|token|key)/i.test(secret) ||
    /^(.)\1*$/.test(secret)
  )
}

/** Prefixes nobody else uses. Other names count as ours only when they nearly are one of ours. */
const ourPrefixes =
  /^(ESTAFET|META|CIRCUIT|DEDUPE|TRACE_TTL|DLQ|RECONCILE|(INTERNAL|INBOUND|OUTBOUND)_TASK|ENCRYPTION_KEY|ADMIN_API|PAGERDUTY|SIMULATOR)_/

function misspelled(env: Environment): string[] {
  const known = table.map(([, { variable }]) => variable)
  return Object.keys(env)
    .filter((name) => !known.includes(name) && textOf(env, name) !== undefined)
    .flatMap((name) => {
      const meant = nearest(name, known)
      // Short names are near too much that is not ours (HOME and HOST).
      if (!ourPrefixes.test(name) && (meant === undefined || name.length < 9)) return []
      const hint = meant ? `did you mean ${meant}?` : 'see docs/configuration.md'
      return [`${name} is set, but there is no such setting: ${hint}`]
    })
}

/** The closest of `candidates` when at most two letters, and at most a third of them, are wrong. */
function nearest(text: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(text, candidate) }))
    .sort((a, b) => a.distance - b.distance)
  const best = ranked[0]
  if (!best || best.distance > Math.min(2, best.candidate.length / 3)) return undefined
  return best.candidate
}

function editDistance(a: string, b: string): number {
  // A name that long is no slip of the pen, and the table below would be large.
  if (Math.abs(a.length - b.length) > 2) return Number.POSITIVE_INFINITY
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= b.length; column++) {
      const change = (row[column - 1] as number) + (letter === b[column - 1] ? 0 : 1)
      next.push(Math.min(change, (row[column] as number) + 1, (next[column - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}

function orList(items: readonly string[]): string {
  if (items.length < 2) return items.join('')
  return `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`
}

/** The whole of docs/configuration.md. */
export function configurationMarkdown(): string {
  const all = table.map(([, setting]) => setting)
  const deployed = all.filter(({ required }) => required === 'deployed')
  const weak = all.filter(({ minLength }) => minLength !== undefined)
  const lines = [
    '# Configuration',
    '',
    'Estafet is configured by environment variables alone. An empty variable counts as unset. Lists are separated by',
    'commas. On and off are `1`, `true`, `on`, `yes` and `0`, `false`, `off`, `no`. A start with a wrong or missing',
    'variable fails and names all of them at once; a name that looks misspelled is a warning in the log.',
    '',
    'This page is printed from the code: `npm run docs:generate`.',
    '',
    '| variable | default | meaning |',
    '|---|---|---|',
    ...all.map((it) => `| \`${it.variable}\` | ${defaultDoc(it)} | ${meaning(it)} |`),
    '',
    '## What staging and production refuse',
    '',
    ...deployed.map((it) => `- no \`${it.variable}\`: ${it.obtain}`),
    '- no `DATABASE_URL`, unless `ALLOW_EMBEDDED=1` accepts the embedded Postgres',
    ...weak.map((it) => `- \`${it.variable}\` with fewer than ${it.minLength} characters`),
    '- well-known placeholders such as `changeme`, `secret` or `dev-…`, and an encryption key of zeros',
    '- `SLACK_WEBHOOK_URL` or `PAGERDUTY_EVENTS_URL` that is not https, unless `ALLOW_PRIVATE_TARGETS=1`',
    '- with `DISPATCH=cloud-tasks`, an `INTERNAL_TASK_BASE_URL` that is not https',
  ]
  return `${lines.join('\n')}\n`
}

/** The same for programs. */
export function configurationList() {
  return table.map(([, it]) => ({
    variable: it.variable,
    default: it.default ?? null,
    development_default: it.developmentDefault ?? it.default ?? null,
    is_secret: it.secret ?? false,
    meaning: meaning(it),
  }))
}

function defaultDoc(setting: Setting): string {
  const { default: standard, developmentDefault } = setting
  if (setting.defaultDoc) return setting.defaultDoc
  if (developmentDefault) return `\`${developmentDefault}\` in development, else \`${standard}\``
  return standard ? `\`${standard}\`` : '–'
}

function meaning({ doc, secret, required, type }: Setting): string {
  const parts = [doc]
  if (type.kind === 'integer' || type.kind === 'decimal') parts.push(`${type.min} to ${type.max}.`)
  if (type.kind === 'choice' && !type.allowed.every((it) => doc.includes(`\`${it}\``))) {
    parts.push(`One of \`${type.allowed.join('`, `')}\`.`)
  }
  if (typeof required === 'object') {
    parts.push(`Required with \`${settings[required.key].variable}=${required.value}\`.`)
  }
  if (secret) parts.push('**Secret.**')
  return parts.join(' ').replaceAll('|', '\\|')
}
