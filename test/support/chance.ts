// The one source of chance in tests: the run's seed and a factor for the number of cases. `npm run test:repeat` and
// `npm run test:fuzz` give other seeds and more cases; a failing file prints the seed it ran with.
import fc from 'fast-check'
import { seed } from '../runner/seed.ts'

export { seed }

// biome-ignore lint/style/noProcessEnv: `test:fuzz` asks for a hundred times the cases.
const factor = Number(process.env.CASES ?? 1)

/** How many cases of a property to try: `count` in `npm test`. */
export const times = (count: number): number => Math.round(count * factor)

fc.configureGlobal({ seed, numRuns: times(100) })
