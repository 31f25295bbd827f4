// What a crash point becomes in an armed tree (tree.ts): the process may die here, as if its machine had lost power.
import { appendFileSync } from 'node:fs'

/* biome-ignore-start lint/style/noProcessEnv: set by the suite for one process; no setting of the gateway. */
/** `label#3`: dies when that point is passed for the third time. */
const [fatalLabel, fatalPass = '1'] = (process.env.CRASH_AT ?? '').split('#')
/** Dies at any point with this chance, by dice that CRASH_SEED decides. */
const chance = Number(process.env.CRASH_CHANCE ?? 0)
let dice = Number(process.env.CRASH_SEED ?? 1) >>> 0
/** Each label once, when it is first passed, and the one that was the end: a line each. */
const logFile = process.env.CRASH_LOG
/* biome-ignore-end lint/style/noProcessEnv: see above */

const passes = new Map<string, number>()

export function crashAt(label: string): void {
  const pass = (passes.get(label) ?? 0) + 1
  passes.set(label, pass)
  if (pass === 1 && logFile) appendFileSync(logFile, `passed ${label}\n`)
  const isFatal = label === fatalLabel && pass === Number(fatalPass)
  if (!isFatal && !(chance > 0 && roll() < chance)) return
  if (logFile) appendFileSync(logFile, `died ${label}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** Mulberry32. */
function roll(): number {
  dice = (dice + 0x6d2b79f5) | 0
  let mixed = Math.imul(dice ^ (dice >>> 15), 1 | dice)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}
