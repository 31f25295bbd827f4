// What can be said about a run, and what is said where nobody says otherwise.
import type { Edit } from '../tree.ts'
import type { Place } from './place.ts'

export interface NemesisOptions {
  seed: number
  minutes: number
  webhooksPerSecond: number
  sendsPerSecond: number
  workers: number
  customersPerFirm: number
  reconcileSeconds: number
  /** Names of kinds; all without. */
  faults?: string[]
  /** The pause between two rounds of faults, at least and at most, in seconds. */
  breath: [number, number]
  /** Faults at once, at most. */
  most: number
  /** What the length of every fault is multiplied with. */
  scale: number
  /** Changes to the sources before they are built, their crash points armed. */
  edits?: Edit[]
  /** Where to leave what the processes wrote, what faults there were, and all that was judged by. */
  keep?: string
  /** A run of more than five minutes in which a kind of fault never happened fails, unless only some were asked for. */
  needsAll: boolean
  say(line: string): void
  /** While faults come and go, until that is over: for whoever measures. */
  beside?(place: Place, isOver: () => boolean): Promise<void>
}

export const usualOptions = {
  minutes: 2,
  webhooksPerSecond: 20,
  sendsPerSecond: 10,
  workers: 2,
  customersPerFirm: 10,
  reconcileSeconds: 15,
  breath: [0.5, 2.5] as [number, number],
  most: 3,
  scale: 1,
  needsAll: true,
}

/**
 * For a run of minutes: Meta allows one message in six seconds to each, and what waited through a fault is not made up for.
 * With three times the rate, half an hour left 1 400 messages to twelve people.
 */
export const customersFor = (webhooksPerSecond: number) =>
  Math.max(10, Math.ceil(10 * webhooksPerSecond))

/** Of minutes, and of webhooks a second. */
export const least = 0.01
