// Runs cases chunk by chunk: first the corpus, then as many as asked; tells of each new problem once.
import { readdirSync, readFileSync } from 'node:fs'
import { diceOf } from './dice.ts'
import { later, laterAllowed } from './http.ts'
import { type Failure, type Kind, readWritten, type Verdict, written } from './kind.ts'
import { processorMs } from './processor-time.ts'

export interface RunOptions {
  seed: number
  /** How many, or which one alone. */
  cases: { count: number } | { only: number }
  /** When to begin no chunk but the first, on the monotonic clock. */
  untilMs?: number
  /** Past failures run first; not against what is planted, which does not know them. */
  withCorpus?: boolean
  onFailure?: (failure: Failure) => void
  /** Of whoever is asked: its event loop is to stay free. */
  stall?: StallOptions
}

export interface StallOptions {
  limitMs: number
  /** The longest that it was busy without a break since the last call. Without it all happens in this process, one case after
   *  the other: then what each uses of the processor counts. */
  take?(): Promise<number>
}

export interface RunResult {
  ran: number
  /** Without those of the corpus. */
  made: number
  tookMs: number
  failures: Failure[]
}

/** Different enough not to be the same defect: ids, numbers and quotations do not count. */
export function signatureOfProblem({ kind, problem }: Failure): string {
  return `${kind} ${problem.replace(/["'].*["']|[0-9a-f]{8,}|\d+/gs, '#').slice(0, 200)}`
}

/** Each problem once, with a case that has it: for a test to compare with nothing. */
export function toldOf({ failures }: RunResult): string[] {
  const first = new Map(failures.toReversed().map((one) => [signatureOfProblem(one), one]))
  return [...first.values()].map(
    (one) => `case ${one.number}: ${one.problem} ${written(one.case).slice(0, 1_000)}`,
  )
}

/** What no single case is to blame for. */
export function missedBy<Case>(kind: Kind<Case>, { ran, made }: RunResult): string[] {
  const [timesLater, allowed] = [kind.counts().get(later) ?? 0, laterAllowed(ran)]
  return [
    ...(made === 0 ? ['no case was made'] : []),
    ...(timesLater > allowed ? [`it ${later} ${timesLater} times, not ${allowed}`] : []),
    ...(kind.missed?.(made) ?? []),
  ]
}

const smallerTries = 150
/** Of one signature: more of the same is not made smaller, nor told. */
const toldPerSignature = 3

export async function runKind<Case>(kind: Kind<Case>, options: RunOptions): Promise<RunResult> {
  const startedMs = performance.now()
  const failures: Failure[] = []
  const seen = new Map<string, number>()
  const onFailure = async (number: number, problem: string, one: Case) => {
    const failure: Failure = { kind: kind.name, number, problem, case: one }
    failures.push(failure)
    const signature = signatureOfProblem(failure)
    const times = (seen.get(signature) ?? 0) + 1
    seen.set(signature, times)
    if (times > toldPerSignature) return
    // How long something took is no answer that a smaller one could give, too.
    if (!isStall(problem)) failure.case = await smallest(kind, one, signature)
    options.onFailure?.(failure)
  }

  await options.stall?.take?.()
  const isWithCorpus = options.withCorpus !== false && !('only' in options.cases)
  const corpus = isWithCorpus ? corpusOf(kind) : []
  await runChunk(kind, corpus, (place) => -1 - place, onFailure, options.stall)
  const [first, end] =
    'only' in options.cases
      ? [options.cases.only, options.cases.only + 1]
      : [0, options.cases.count]
  let number = first
  const isTimeLeft = () => performance.now() < (options.untilMs ?? Number.POSITIVE_INFINITY)
  while (number < end && (number === first || isTimeLeft())) {
    const from = number
    const chunk: Case[] = []
    for (; number < end && chunk.length < kind.chunkSize; number++) {
      chunk.push(kind.make(diceOf(options.seed, number), number))
    }
    await runChunk(kind, chunk, (place) => from + place, onFailure, options.stall)
  }
  const made = number - first
  return { ran: made + corpus.length, made, tookMs: performance.now() - startedMs, failures }
}

async function runChunk<Case>(
  kind: Kind<Case>,
  chunk: Case[],
  numberOf: (place: number) => number,
  onFailure: (number: number, problem: string, one: Case) => Promise<void>,
  stall: StallOptions | undefined,
): Promise<void> {
  if (chunk.length === 0) return
  const found: [number, string][] = []
  const slow: number[] = []
  const isHere = stall && !stall.take
  let next = 0
  const runSome = async () => {
    while (next < chunk.length) {
      const place = next++
      const before = isHere && process.cpuUsage()
      const verdict = verdictOf(kind, chunk[place] as Case)
      // In process most have none to wait for, and a wait costs more than the case.
      const problem = verdict instanceof Promise ? await verdict : verdict
      if (problem !== undefined) found.push([place, problem])
      else if (before && processorMs(before) > stall.limitMs) slow.push(place)
    }
  }
  await Promise.all(Array.from({ length: kind.inFlight }, runSome))
  const late = await kind.settle?.(chunk)
  const still = stall?.take
    ? await blame(kind, chunk, stall.limitMs, stall.take)
    : await stillSlow(kind, chunk, slow, stall?.limitMs ?? 0)
  for (const [place, problem] of [...found, ...(late ?? []), ...still]) {
    await onFailure(numberOf(place), problem, chunk[place] as Case)
  }
}

/** Which of them keep the event loop busy, each alone: found by halves, since to clean up after each takes long. */
async function blame<Case>(
  kind: Kind<Case>,
  chunk: Case[],
  limitMs: number,
  take: () => Promise<number>,
): Promise<[number, string][]> {
  const togetherMs = await take()
  if (togetherMs <= limitMs) return []
  const guilty: [number, string][] = []
  let excusedMs = 0
  async function search(from: number, end: number): Promise<void> {
    if (guilty.length >= toldPerSignature) return
    const some = chunk.slice(from, end)
    for (const one of some) await verdictOf(kind, one)
    await kind.settle?.(some)
    const ms = await take()
    if (ms <= limitMs) return
    const [one] = some
    if (some.length === 1 && one !== undefined) {
      const allowedMs = limitOf(kind, one, limitMs)
      if (ms > allowedMs) guilty.push([from, stalled(ms)])
      else excusedMs += allowedMs
      return
    }
    const middle = Math.floor((from + end) / 2)
    await search(from, middle)
    await search(middle, end)
  }
  await search(0, chunk.length)
  // What may take long excuses that much, and nothing beside it.
  if (guilty.length > 0 || togetherMs <= excusedMs) return guilty
  return [[0, `${stalled(togetherMs)}, and by none alone`]]
}

/** Measured again, alone: the first time others may have left something to tidy up. */
async function stillSlow<Case>(
  kind: Kind<Case>,
  chunk: Case[],
  places: number[],
  limitMs: number,
): Promise<[number, string][]> {
  const guilty: [number, string][] = []
  for (const place of places) {
    const one = chunk[place] as Case
    const before = process.cpuUsage()
    await verdictOf(kind, one)
    const ms = processorMs(before)
    if (ms > limitOf(kind, one, limitMs)) guilty.push([place, stalled(ms)])
  }
  return guilty
}

/** A megabyte of nothing but brackets takes long to read, whoever does it. */
function limitOf<Case>(kind: Kind<Case>, one: Case, limitMs: number): number {
  return limitMs + readings * (kind.leastMs?.(one) ?? 0)
}

/** In one go it is read, made into items, and written again as what cannot be applied. */
const readings = 3

const stalled = (ms: number) => `the event loop was busy for ${Math.round(ms)} ms without a break`
const isStall = (problem: string) => problem.startsWith('the event loop was busy')

function verdictOf<Case>(kind: Kind<Case>, one: Case): Verdict | Promise<Verdict> {
  try {
    const verdict = kind.run(one)
    return verdict instanceof Promise ? verdict.catch(thrown) : verdict
  } catch (error) {
    return thrown(error)
  }
}

function thrown(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${String(error)}`
  const place =
    error.stack
      ?.split('\n')
      .find((line) => line.includes('/src/'))
      ?.trim() ?? ''
  return `threw ${error.name}: ${error.message.slice(0, 300)} ${place}`
}

/** The same problem in less, as far as a few tries find it. */
async function smallest<Case>(kind: Kind<Case>, failed: Case, signature: string): Promise<Case> {
  let best = failed
  let tries = 0
  const isSame = async (one: Case) => {
    const problem = (await verdictOf(kind, one)) ?? (await kind.settle?.([one]))?.get(0)
    if (problem === undefined) return false
    return signatureOfProblem({ kind: kind.name, number: 0, problem, case: one }) === signature
  }
  search: for (;;) {
    for (const one of kind.smaller(best)) {
      if (tries++ >= smallerTries) return best
      if (!(await isSame(one))) continue
      best = one
      continue search
    }
    return best
  }
}

const corpusFolder = new URL('corpus/', import.meta.url)

export const corpusFiles = () => readdirSync(corpusFolder)

/** What failed once, kept for ever. */
function corpusOf<Case>({ name }: Kind<Case>): Case[] {
  return corpusFiles()
    .filter((file) => file.startsWith(`${name}-`))
    .sort()
    .map((file) => {
      const kept = readWritten(readFileSync(new URL(file, corpusFolder), 'utf8'))
      return (kept as { case: Case }).case
    })
}
