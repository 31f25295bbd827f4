// npm run test:controls: each safeguard is left out of a copy of the sources in turn, and the tests that are named for it must
// fail: another one that does may have any cause. Before that all of these tests run with every safeguard in its place, and must not fail: red would else say nothing.
// Exit code 1 when a control stays green, or that first run does not.
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commitOf } from './commit.ts'
import { type Judgement, judge } from './controls/judge.ts'
import { quickSetUp } from './controls/quick-set-up.ts'
import type { Safeguard } from './safeguards/safeguard.ts'
import { safeguards } from './safeguards.ts'
import { makeTree } from './tree.ts'

const help = `Usage: npm run test:controls -- [options]

Leaves one safeguard after another out of a copy of the sources and runs the tests that must notice.

  --only <name>   one safeguard, or those whose name contains this; may be given several times
  --no-baseline   do not run the tests with every safeguard in its place first
  --list          say what there is, and run nothing
  --json          print the result as JSON, besides the table
  --help          this text
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    'no-baseline': { type: 'boolean' },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

interface Control extends Judgement {
  name: string
  seconds: number
}

type Tried = Pick<Safeguard, 'name' | 'edits' | 'noticedBy'>

/** Nothing is left out: whatever notices a missing safeguard is to be green here. */
const baselineOf = (wanted: Tried[]): Tried => ({
  name: '(nothing left out)',
  edits: [],
  noticedBy: Object.assign({}, ...wanted.map(({ noticedBy }) => noticedBy)),
})

async function run({ name, edits, noticedBy }: Tried): Promise<Control> {
  const startedMs = performance.now()
  const tree = await makeTree([...edits, ...quickSetUp])
  try {
    const file = join(tree.root, 'controls.json')
    const args = ['run', '--reporter=json', `--outputFile=${file}`, ...Object.keys(noticedBy)]
    const output = await vitest(tree.root, args)
    const report = await readFile(file, 'utf8').catch(() => undefined)
    const judgement: Judgement = report
      ? judge(JSON.parse(report), noticedBy)
      : { verdict: 'broken', failed: [{ test: '', message: output.slice(-2000) }] }
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    return { name, seconds, ...judgement }
  } finally {
    await tree.remove()
  }
}

function vitest(cwd: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(join(cwd, 'node_modules', '.bin', 'vitest'), args, { cwd })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      output += text
    })
    child.once('close', () => resolve(output))
  })
}

function lineOf({ name, verdict, failed, seconds }: Control): string {
  const first = failed[0]
  const told = first ? `${first.test}: ${first.message}`.slice(0, 160) : ''
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  return `${verdict.padEnd(7)} ${name.padEnd(34)} ${String(seconds).padStart(4)} s  ${told}${others}`
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(help)
    return 0
  }
  const wanted = safeguards.filter(
    ({ name }) => !values.only || values.only.some((part) => name.includes(part)),
  )
  const unknown = values.only?.filter((part) => !safeguards.some(({ name }) => name.includes(part)))
  if (unknown?.length) {
    console.error(`No safeguard is called ${unknown.join(' or ')}. --list tells their names.`)
    return 2
  }
  if (values.list) {
    for (const { name, without } of wanted) console.log(`${name}: without it ${without}`)
    return 0
  }
  console.log(`commit ${commitOf()}`)
  const baseline = values['no-baseline'] ? undefined : await run(baselineOf(wanted))
  if (baseline) console.log(lineOf(baseline))
  const controls: Control[] = []
  for (const safeguard of wanted) {
    const control = await run(safeguard)
    controls.push(control)
    console.log(lineOf(control))
  }
  const red = controls.filter(({ verdict }) => verdict === 'red')
  console.log(`\n${red.length} of ${controls.length} safeguards are missed when they are left out.`)
  const isSound = baseline === undefined || baseline.verdict === 'green'
  if (!isSound) console.log('That says nothing: the tests fail with nothing left out, too.')
  if (values.json) console.log(JSON.stringify([...(baseline ? [baseline] : []), ...controls]))
  return isSound && red.length === controls.length ? 0 : 1
}

process.exitCode = await main()
