// docs/deployment.md says nothing that is not so: settings, commands, variables, links, limits and figures.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli-program.ts'
import { packageRoot } from '../../src/package-root.ts'
import { adviceFor } from '../../src/secrets/keys.ts'
import { composeVariables, readTerraform, textOf, variables } from '../support/deployment.ts'

const document = textOf('docs/deployment.md')
const terraform = readTerraform()
const matches = (pattern: RegExp, text = document) => [
  ...new Set([...text.matchAll(pattern)].map(([, found = '']) => found)),
]

describe('docs/deployment.md names', () => {
  test('settings that exist', () => {
    const named = matches(/(?<![\w-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w-])/g)
    const known = [...variables, ...composeVariables(), 'OPERATOR_KEY']
    expect(named.filter((name) => !known.includes(name))).toEqual([])
    expect(named.length).toBeGreaterThan(15)
  })

  test('every variable of compose.yaml', () => {
    const text = document + textOf('docs/configuration.md')
    expect(composeVariables().filter((name) => !text.includes(`\`${name}`))).toEqual([])
  })

  test('commands that exist', () => {
    const declared = createProgram().commands.map((command) => command.name())
    const called = matches(/(?:^|`)(?:estafet|docker compose run --rm gateway) ([a-z]+)/gm)
    expect(called.length).toBeGreaterThan(5)
    expect(called.filter((command) => !declared.includes(command))).toEqual([])
  })

  test('variables and resources of Terraform that exist', () => {
    const names = ['image', 'dedupe_store', 'public_url', 'extra_settings', 'secret_versions']
    for (const name of [...names, 'task_tokens', 'database']) {
      expect(Object.keys(terraform.variables)).toContain(name)
      expect(document).toMatch(new RegExp(`\`${name}\\b`))
    }
    const declared = terraform.resources.map(({ type, name }) => `${type}.${name}`)
    const resources = matches(/((?:google|random)_\w+\.\w+)/g)
    expect(resources.filter((it) => !declared.includes(it))).toEqual([])
    const outputs = matches(/terraform output (\w+)/g)
    expect(outputs.filter((it) => !(it in terraform.outputs))).toEqual([])
  })

  test('the limits that the queues have', () => {
    const limits = (name: string) =>
      [...String(terraform.variables[name]?.type).matchAll(/optional\(number, (\d+)\)/g)].map(
        ([, value]) => value,
      )
    const [inbound, perSecond, atOnce] = limits('inbound_queues')
    const [outbound, slower, fewer] = limits('outbound_queues')
    expect(document).toContain(
      `${inbound} inbound (${perSecond} tasks a second, ${atOnce} at once each), ` +
        `${outbound} outbound (${slower} a second, ${fewer} at once each)`,
    )
    const [least, most, , attempts] = limits('task_retries')
    expect(document).toContain(`${least} s to ${Number(most) / 60} m, ${attempts} attempts`)
  })

  test('places that are there', () => {
    const headings = matches(/^## (.+)$/gm).map((it) => it.toLowerCase().replaceAll(' ', '-'))
    expect(matches(/\]\(#([\w-]+)\)/g).filter((it) => !headings.includes(it))).toEqual([])
    const files = matches(/\]\(([\w./-]+\.md)\)/g).map((it) => `docs/${it}`)
    const named = [...files, 'deploy/.env.example', 'deploy/terraform/terraform.tfvars.example']
    expect(named.filter((it) => !existsSync(join(packageRoot, it)))).toEqual([])
  })

  test('what `estafet keys` prints', () => {
    const current = adviceFor({ id: 'new', state: 'current', sealed: 412 })
    const old = adviceFor({ id: 'old', state: 'old', sealed: 0 })
    expect(document).toContain(`\nnew  current  412     ${current}\nold  old      0       ${old}\n`)
  })

  test('figures that were measured', () => {
    const results = (name: string) => JSON.parse(textOf(`bench/results/${name}.json`))
    const ours = (name: string, which: object) =>
      results(name).summary.find((row: Record<string, unknown>) =>
        Object.entries(which).every(([key, value]) => row[key] === value),
      )
    const spaced = (value: number) => Math.floor(value).toLocaleString('en').replace(',', ' ')
    const about = (value: number) => spaced(Number(value.toPrecision(2)))
    const ingest = ours('ingest', { variant: 'ours', connections: 64 })
    const many = ours('inbound', { storedMessages: 1_000_000 })
    const few = ours('inbound', { storedMessages: 10_000 })
    const sends = ours('outbox', { contender: 'ours' })
    const idle = (dispatch: string) => ours('cost', { kind: 'idle', dispatch }).commits.median
    // Seconds of processor time that a number takes a second: 80 messages and three statuses for each.
    const perNumber = (80 * (sends.cpuMicros.median + 3 * many.cpuMicros.median)) / 1e6
    for (const figure of [
      `${spaced(ingest.perSecond.median)} a second, p99 ${ingest.p99Ms.median.toFixed(1)} ms`,
      `${spaced(many.processedPerSecond.median)} a second; p95 of a single one ${results('inbound').latency.p95Ms.toFixed(1)} ms`,
      `${many.cpuMicros.median.toFixed(0)} µs with 1 million messages stored, ${few.cpuMicros.median.toFixed(0)} µs with 10 000`,
      `${(few.walBytesPerEvent.median / 1000).toFixed(0)} kB with 10 000 messages stored, ${(many.walBytesPerEvent.median / 1000).toFixed(0)} kB with 1 million`,
      `${spaced(sends.singlePerSecond.median)} / ${spaced(sends.bulkPerSecond.median)} a second`,
      `${spaced(sends.processPerSecond.median)} a second`,
      `${many.cpuMicros.median.toFixed(0)} µs for a webhook`,
      `${sends.cpuMicros.median.toFixed(0)} µs for a send`,
      ...costs(results('cost').summary),
      `writes about ${idle('postgres')} small transactions a minute`,
      `; ${idle('cloud-tasks')} were counted`,
      `about ${about(many.processedPerSecond.median)} webhooks or ${about(sends.processPerSecond.median)} sends a second on two`,
      `some ${Math.floor(2 / perNumber)} numbers sending at Meta's full pace`,
      `p50 ${sends.idleP50Ms.median.toFixed(1)} ms, p95 ${sends.idleP95Ms.median.toFixed(1)} ms`,
    ]) {
      expect(document).toContain(figure)
    }
  })
})

interface Cost {
  dispatch: string
  kind: string
  form: string
  commits: { median: number }
  walBytes: { median: number }
  tasks: { median: number }
}

/** The rows of the table of costs, as `bench cost` counted them. */
function costs(summary: Cost[]): string[] {
  const few = ({ median }: { median: number }) => (median < 1 ? 'under 1' : median.toFixed(1))
  return summary
    .filter(({ form }) => form === 'alone')
    .map((alone) => {
      const together = summary.find(
        ({ dispatch, kind, form }) =>
          dispatch === alone.dispatch && kind === alone.kind && form === 'together',
      )
      if (!together) throw new Error(`no second figure for ${alone.kind}`)
      const log = [alone, together]
        .map(({ walBytes }) => (walBytes.median / 1000).toFixed(1))
        .join(' / ')
      const tasks =
        alone.dispatch === 'postgres' ? '–' : `${few(alone.tasks)} / ${few(together.tasks)}`
      return `| ${few(alone.commits)} / ${few(together.commits)} | ${log} kB | ${tasks} |`
    })
}
