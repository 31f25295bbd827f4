// What each scenario measures unless its options say otherwise: in full, and with `--quick`. By the names in `settings`.
import type { ScenarioName } from './published.ts'

type Size = Record<string, number | number[]> & { rounds: number }

const growing = [10_000, 100_000, 1_000_000]

export const defaults = {
  ingest: {
    full: { rounds: 3, seconds: 5, connections: [8, 64, 256] },
    quick: { rounds: 1, seconds: 1, connections: [64] },
  },
  inbound: {
    full: { rounds: 3, sizes: growing, events: 2_000, samples: 300 },
    quick: { rounds: 1, sizes: [1_000, 10_000], events: 100, samples: 20 },
  },
  outbox: {
    full: {
      ...{ rounds: 3, jobs: 30_000, pending: growing },
      ...{ samples: 250, backlog: 50_000, deepLane: 200_000, claims: 40 },
    },
    quick: {
      ...{ rounds: 1, jobs: 3_000, pending: [1_000, 10_000] },
      ...{ samples: 30, backlog: 5_000, deepLane: 2_000, claims: 10 },
    },
  },
  weather: {
    full: { rounds: 3, seconds: 20, backlog: 200, outageSeconds: 10 },
    quick: { rounds: 1, seconds: 5, backlog: 60, outageSeconds: 3 },
  },
  health: {
    full: { rounds: 3, samples: 300, rows: 1_000_000 },
    quick: { rounds: 1, samples: 50, rows: 20_000 },
  },
  cost: {
    full: { rounds: 3, messages: 100, idleSeconds: 5 },
    quick: { rounds: 1, messages: 20, idleSeconds: 1 },
  },
} satisfies Record<ScenarioName, { full: Size; quick: Size }>

type Settings = Record<string, unknown>

export const isQuick = (name: ScenarioName, settings: Settings): boolean =>
  differing(defaults[name].quick, settings).length === 0

/** What was measured otherwise than by default, in words; nothing when all of it was as by default. */
export function differencesText(name: ScenarioName, settings: Settings): string {
  if (isQuick(name, settings))
    return 'made with `--quick`: a first look, shorter than what the command does by default'
  const told = differing(defaults[name].full, settings).map(
    ([key, usual]) => `${key} ${textOf(settings[key])} instead of ${textOf(usual)}`,
  )
  return told.length === 0 ? '' : `otherwise than by default: ${told.join('; ')}`
}

const differing = (size: Size, settings: Settings) =>
  Object.entries(size).filter(([key, usual]) => textOf(usual) !== textOf(settings[key]))

const textOf = (value: unknown) => [value].flat().join(', ')
