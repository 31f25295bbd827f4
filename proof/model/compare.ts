// One history in both worlds, seen after every command.
import { deepStrictEqual } from 'node:assert/strict'
import type { Db } from '../../src/db/connect.ts'
import { apply, type Command, decode } from './commands.ts'
import { createState, type ProfileName, profiles } from './history.ts'
import { type Observed, observeModel } from './observed.ts'
import type { Tools } from './postgres-setup.ts'
import { PostgresWorld } from './postgres-world.ts'
import type { State } from './state.ts'

/** Nothing happens at the very moment of something else. */
const tick: Command = { kind: 'advance', ms: 1 }

export interface Pair {
  state: State
  /** Throws where they differ afterwards. Returns what is seen in Postgres. */
  run(command: Command): Promise<Observed>
}

export async function startPair(
  db: Db,
  tools: Tools,
  profile: ProfileName,
  counts: Map<string, number> = new Map(),
): Promise<Pair> {
  const { settings } = profiles[profile]
  const state = createState(settings, counts)
  const world = new PostgresWorld(db, settings, state.now, tools)
  await world.start()
  const done: Command[] = []
  async function carryOut(command: Command): Promise<void> {
    const preferred = await world.apply(command, state)
    state.step++
    apply(state, command.kind === 'claim' && preferred ? { ...command, preferred } : command)
    world.nameAttempts(state)
  }
  return {
    state,
    async run(command) {
      done.push(command)
      await carryOut(tick)
      await carryOut(command)
      const seen = await world.observe()
      try {
        deepStrictEqual(seen, observeModel(state))
      } catch (cause) {
        const story = done.map((one) => JSON.stringify(one)).join('\n')
        throw new Error(`Postgres is not what the model says, after\n${story}`, { cause })
      }
      return seen
    },
  }
}

export async function compareHistory(
  db: Db,
  tools: Tools,
  values: readonly number[],
  profile: ProfileName,
  counts: Map<string, number>,
): Promise<void> {
  const pair = await startPair(db, tools, profile, counts)
  const { table } = profiles[profile]
  for (const value of values)
    for (const command of decode(pair.state, table, value)) await pair.run(command)
}

/** The same in the model alone. */
export function imagineHistory(
  values: readonly number[],
  profile: ProfileName,
  counts: Map<string, number>,
): void {
  const { settings, table } = profiles[profile]
  const state = createState(settings, counts)
  for (const value of values) {
    for (const command of decode(state, table, value)) {
      for (const one of [tick, command]) {
        state.step++
        apply(state, one)
      }
    }
  }
}
