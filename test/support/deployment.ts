// Dockerfile, .dockerignore, Compose file and Terraform as data, read the way their own tools do.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseToObject } from 'hcl2-parser'
import { parse } from 'yaml'
import { type Config, ConfigError, readConfig } from '../../src/config.ts'
import type { Setting } from '../../src/config-setting.ts'
import { settings } from '../../src/config-table.ts'
import { packageRoot } from '../../src/package-root.ts'

export const allSettings: Setting[] = Object.values(settings)
export const variables = allSettings.map(({ variable }) => variable)
export const secretVariables = allSettings.filter((it) => it.secret).map((it) => it.variable)

export const textOf = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

export interface Instruction {
  name: string
  flags: string[]
  /** The words after the flags; of the exec form, its items. */
  words: string[]
  isExec: boolean
}

/** A stage begins with its FROM; what comes before the first is in none. */
export function readDockerfile(): Instruction[][] {
  const text = textOf('Dockerfile')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
  const instructions = text.split('\n').filter((line) => line.trim() !== '')
  const stages: Instruction[][] = []
  for (const instruction of instructions.map(readInstruction)) {
    if (instruction.name === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  return stages
}

function readInstruction(line: string): Instruction {
  const [name = '', ...rest] = line.trim().split(/\s+/)
  const flags = rest.slice(
    0,
    rest.findIndex((word) => !word.startsWith('--')),
  )
  const body = rest.slice(flags.length)
  const exec = /\[.*\]$/.exec(body.join(' '))
  const items = exec ? (JSON.parse(exec[0]) as string[]) : undefined
  const words = items && name === 'HEALTHCHECK' ? ['CMD', ...items] : (items ?? body)
  return { name, flags, words, isExec: items !== undefined }
}

/** Whether .dockerignore keeps this path out of what is built from: the last pattern that matches it or a folder above. */
export function isIgnored(path: string): boolean {
  const parts = path.split('/')
  const candidates = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  const patterns = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  let ignored = false
  for (const pattern of patterns) {
    const isException = pattern.startsWith('!')
    const regex = patternRegex(isException ? pattern.slice(1) : pattern)
    if (candidates.some((candidate) => regex.test(candidate))) ignored = !isException
  }
  return ignored
}

function patternRegex(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]]/g, '\\$&')
    .replace(/\*\*\/|\*/g, (star) => (star === '*' ? '[^/]*' : '(.*/)?'))
  return new RegExp(`^${source}$`)
}

export interface Service {
  image: string
  build?: string
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  volumes?: string[]
  networks?: string[]
  restart?: string
  read_only?: boolean
  cap_drop?: string[]
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  deploy?: {
    replicas?: string | number
    resources: { limits: { cpus: string; memory: string } }
  }
}

export interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, null>
}

/** The file as Compose sees it with these variables. */
export function readCompose(given: Record<string, string> = {}): Compose {
  const fill = (text: string) =>
    text.replace(/\$\{(\w+)(:?)-([^}]*)\}/g, (_, name: string, colon: string, fallback: string) => {
      const value = given[name]
      return value === undefined || (colon !== '' && value === '') ? fallback : value
    })
  const parsed = parse(textOf('compose.yaml'), { merge: true })
  return JSON.parse(JSON.stringify(parsed), (_, value) =>
    typeof value === 'string' ? fill(value) : value,
  )
}

export function composeVariables(): string[] {
  const found = textOf('compose.yaml').matchAll(/\$\{(\w+)/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}

export function readEnvFile(path: string): Record<string, string> {
  const lines = textOf(path).split('\n')
  const set = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    set.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: blocks and attributes of every shape.
export type Block = Record<string, any>

export interface Terraform {
  resources: { type: string; name: string; body: Block }[]
  variables: Record<string, Block>
  locals: Block
  outputs: Record<string, Block>
  /** All of the files, for what is easier to find in text. */
  text: string
}

const terraformFolder = 'deploy/terraform'

export function readTerraform(): Terraform {
  const names = readdirSync(join(packageRoot, terraformFolder)).filter((it) => it.endsWith('.tf'))
  const texts = names.map((name) => textOf(`${terraformFolder}/${name}`))
  const files = texts.map((text, index) => {
    const [parsed] = parseToObject(text)
    if (parsed === null) throw new Error(`${names[index]} is not HCL`)
    return parsed as Block
  })
  const firstOf = (kind: string): Record<string, Block> =>
    Object.fromEntries(
      files.flatMap((file) =>
        Object.entries(file[kind] ?? {}).map(([name, blocks]) => [name, (blocks as [Block])[0]]),
      ),
    )
  return {
    resources: files.flatMap((file) =>
      Object.entries((file.resource ?? {}) as Record<string, Record<string, Block[]>>).flatMap(
        ([type, named]) =>
          Object.entries(named).flatMap(([name, bodies]) =>
            bodies.map((body) => ({ type, name, body })),
          ),
      ),
    ),
    variables: firstOf('variable'),
    locals: Object.assign({}, ...files.flatMap((file) => file.locals ?? [])),
    outputs: firstOf('output'),
    text: texts.join('\n'),
  }
}

/** What `start` finds wrong with this environment; nothing when it would start. */
export function refusedBy(environment: Record<string, string>): string[] {
  try {
    readConfig(environment, { mode: 'start' })
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [...new Set(error.problems.map(({ variable }) => variable))]
  }
}

export function accepted(environment: Record<string, string>): Config {
  return readConfig(environment, { mode: 'start' })
}

/** The connections that one process may keep: its pools, and two that listen. */
export function connectionsPerProcess(): number {
  const pools = textOf('src/runtime.ts').matchAll(/pool\('\w+', (\d+)/g)
  return [...pools].reduce((sum, [, size]) => sum + Number(size), 2)
}

/** As somebody would make them who follows the advice. */
export const realSecrets = {
  META_APP_SECRET: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  META_VERIFY_TOKEN: '8c1d6f20b94e4a7d',
  ADMIN_API_KEY: 'ana:kT93nXw0QpLz81vBd2',
  ENCRYPTION_KEYS: `first:${Buffer.from('fictional key of exactly 32 byte').toString('base64')}`,
}
