// What every route of the Graph API works with.
import type { Business } from '../business.ts'
import type { Simulation } from '../simulation.ts'
import type { Clock } from '../time-and-chance.ts'

export interface Graph {
  simulation: Simulation
  clock: Clock
  /** Of the world as it is now, to be asked at every call: a reset replaces it. */
  access(): { business: Business; clock: Clock }
}
