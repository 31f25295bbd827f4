// What is checked of a block by itself: that it has a language which we know how to check, and is well formed in it.
import { spawnSync } from 'node:child_process'
import { parseToObject } from 'hcl2-parser'
import { parse, parseAllDocuments } from 'yaml'
import type { Sample } from './read-samples.ts'

type Check = (code: string, note: string) => void

/** Programs in other languages: the-documented-verifiers-verify.test runs them. */
const verifiers = ['python', 'java', 'php', 'go']

const checks: Record<string, Check> = {
  text: () => undefined,
  // A picture; GitHub draws it.
  mermaid: () => undefined,
  sh: checkShell,
  ts: () => undefined,
  js: () => undefined,
  sql: () => undefined,
  json: (code) => void JSON.parse(code),
  // JSON is YAML, and YAML knows comments.
  jsonc: (code) => void parse(code.replace(/^\s*\/\/.*$/gm, '').replace(/\s\/\/ .*$/gm, '')),
  yaml(code) {
    const wrong = parseAllDocuments(code).flatMap(({ errors }) => errors)
    if (wrong[0]) throw wrong[0]
  },
  hcl(code) {
    const [, wrong] = parseToObject(code)
    if (wrong) throw new Error(String(wrong))
  },
  ini(code) {
    const isLine = (line: string) => /^(\[[\w ]+\]|[\w.-]+=.*|[#;].*|)$/.test(line)
    const wrong = code.split('\n').find((line) => !isLine(line))
    if (wrong !== undefined) throw new Error(`is not INI: ${wrong}`)
  },
  http: () => undefined,
}

const notes: Record<string, string[]> = { sh: ['elsewhere'], ts: ['fragment'], js: ['fragment'] }

/** What is wrong with it, or nothing. */
export function troubleOf({ place, language, note, code }: Sample): string | undefined {
  if (language === '') return `${place}: the block has no language`
  const check = checks[language]
  if (!check) {
    const isVerifier = verifiers.includes(language) && place.startsWith('docs/event-webhooks.md:')
    return isVerifier ? undefined : `${place}: nobody checks ${language}`
  }
  if (note !== '' && !notes[language]?.includes(note)) return `${place}: what is “${note}”?`
  try {
    check(code, note)
    return undefined
  } catch (error) {
    return `${place}: ${(error as Error).message}`
  }
}

/** What runs is checked by running it. */
function checkShell(code: string, note: string): void {
  if (note === '') return
  const { status, stderr } = spawnSync('sh', ['-n'], { input: code })
  if (status !== 0) throw new Error(String(stderr))
}

/**
 * Programs whose failure nobody would see: curl ends with 0 whatever it is answered. Such a one shows the answer right behind
 * it, or looks at it.
 */
export function unwatched(samples: Sample[]): string[] {
  const shell = samples.filter(({ language, note }) => language === 'sh' && note === '')
  const functions = shell.flatMap(({ code }) =>
    [...code.matchAll(definition)].map(([, name = '']) => name),
  )
  const calls = new RegExp(
    `(?:^|[(|&;]|\\b(?:do|if|until|while))\\s*(?:${['curl', ...functions].join('|')}) `,
    'm',
  )
  return shell
    .filter(({ code, expected }) => {
      const doing = code.replace(definition, '')
      return calls.test(doing) && !expected && !/\bgrep -q |(?:^|[\s;&|])(?:test|\[) /m.test(doing)
    })
    .map(({ place }) => `${place}: a call whose answer nobody looks at`)
}

/** On one line, or until a brace of its own. */
const definition = /^(\w+)\(\) \{(?:.*\}$|[\s\S]*?^\}$)/gm
