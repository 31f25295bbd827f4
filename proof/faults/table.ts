// What a run of all faults found, as rows to be read, and what it cannot say.
import type { Outcome } from './life.ts'
import type { Suffered } from './suffer.ts'

export type Line = Outcome | ({ name: string } & Suffered)

export interface Asked {
  points: string[]
  faults: string[]
  /** Files of end-to-end tests. */
  tests: string[]
}

export interface Found {
  sections: { head: string[]; rows: string[][] }[]
  /** What was asked for and did not happen: such a run has not shown it. */
  missing: string[]
}

/** What Vitest's reporter `json` says of a test file. */
export interface TestFile {
  status: string
  assertionResults: { status: string; fullName: string }[]
}

/** Vitest calls a file passed of which nothing ran. A title says what is missing where its tests are left out for that. */
export function heldByTests({ status, assertionResults }: TestFile): string {
  if (status !== 'passed') return status
  const skipped = assertionResults.filter((one) => one.status !== 'passed')
  const [, why] = /\(skipped: (.+?)\)/.exec(skipped[0]?.fullName ?? '') ?? []
  if (skipped.length < assertionResults.length) {
    if (skipped.length === 0) return 'everything'
    return `left out: ${skipped.length} of ${assertionResults.length} tests${why ? `, ${why}` : ''}`
  }
  return why === undefined ? didNotRun : `left out: ${why}`
}

/** `files`: what each test file held. */
export function tableOf(asked: Asked, lines: Line[], files: Map<string, string>): Found {
  const lives = lines.flatMap((line) => ('label' in line ? line : []))
  const points = asked.points.map((label) => {
    const own = lives.find((life) => life.label === label)
    const passes = lives.filter(({ passed }) => passed.includes(label)).length
    return [label, String(passes), String(own?.deaths ?? 0), heldIn(own)]
  })
  const faults = asked.faults.map((name) => {
    return [name, '', '', heldIn(lines.find((line) => 'name' in line && line.name === name))]
  })
  const tests = asked.tests.map((name) => [name, '', '', files.get(name) ?? didNotRun])
  return {
    sections: [
      { head: ['CRASH POINT', 'PASSED IN', 'DEATHS', 'HELD'], rows: points },
      { head: ['SINGLE FAULT', '', '', 'HELD'], rows: faults },
      { head: ['END TO END', '', '', 'HELD'], rows: tests },
    ],
    missing: [
      ...points
        .filter(([, , deaths]) => deaths === '0')
        .map(([label]) => `never reached: ${label}`),
      ...[...faults, ...tests]
        .filter(([, , , held]) => held === nothingKnown || held === didNotRun)
        .map(([name, , , held]) => `${held}: ${name}`),
    ],
  }
}

const nothingKnown = 'nothing is known'
const didNotRun = 'did not run'

function heldIn(found: Line | undefined): string {
  if (found === undefined) return nothingKnown
  if ('leftOut' in found) return `left out: ${found.leftOut}`
  return found.violations.join('; ') || 'everything'
}
