// The nemesis itself: from a seed, again and again one to three faults at once, for a while, then healed.
import { shuffled } from '../../test/support/seeded.ts'
import { pause } from './client.ts'
import type { FaultKind, FaultRun } from './faults.ts'

export interface TormentOptions {
  forMs: number
  kinds: FaultKind[]
  /** The pause between two rounds, at least and at most, in seconds. */
  breath: [number, number]
  /** At once, at most. */
  most: number
  /** What all lengths are multiplied with. */
  scale: number
  say(line: string): void
}

/** How often each kind was there. */
export type FaultCounts = Record<string, number>

export interface Tormented {
  counts: FaultCounts
  /** What did not begin. */
  failures: string[]
}

export async function torment(run: FaultRun, options: TormentOptions): Promise<Tormented> {
  const { kinds, breath, most, say } = options
  const counts: FaultCounts = Object.fromEntries(kinds.map(({ name }) => [name, 0]))
  const failures: string[] = []
  const within = ([least, longest]: [number, number]) => least + run.dice() * (longest - least)
  const startedMs = performance.now()
  const clock = () => `+${((performance.now() - startedMs) / 1000).toFixed(1)} s`
  // All kinds in turn, each time in another order: none is left out for long.
  let deck: FaultKind[] = []

  function draw(count: number): FaultKind[] {
    const drawn: FaultKind[] = []
    for (let tries = 0; drawn.length < count && tries < 10; tries++) {
      if (deck.length === 0) deck = shuffled(kinds, run.dice)
      const next = deck.pop()
      if (!next) break
      if (drawn.some(({ group }) => group === next.group)) deck.unshift(next)
      else drawn.push(next)
    }
    return drawn
  }

  async function inflict(kind: FaultKind, seconds: number): Promise<void> {
    say(`${clock()} ${kind.name} for ${seconds.toFixed(1)} s`)
    const heal = await kind.begin(run).catch((error: Error) => {
      failures.push(`${kind.name} did not begin: ${error.message}`)
      say(`${clock()} ${failures.at(-1)}`)
    })
    if (!heal) return
    counts[kind.name] = (counts[kind.name] ?? 0) + 1
    await pause(seconds * 1000)
    await heal()
  }

  while (performance.now() - startedMs < options.forMs) {
    await pause(within(breath) * 1000)
    const kindsNow = draw(1 + Math.floor(run.dice() * most))
    const lengths = kindsNow.map(({ lasts }) => within(lasts) * options.scale)
    await Promise.all(kindsNow.map((kind, index) => inflict(kind, lengths[index] ?? 0)))
  }
  return { counts, failures }
}
