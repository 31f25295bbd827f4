// The seed of a run: the same in every run unless SEED names another.

/** Committed on purpose: a red `npm test` is red again with the same command. */
export const committedSeed = 20261119

/** The process of vitest and its workers read the same variable, so they agree. */
// biome-ignore lint/style/noProcessEnv: a person or `test:repeat` names the seed.
const given = process.env.SEED
if (given !== undefined && !/^\d{1,15}$/.test(given)) {
  throw new Error(`SEED takes a whole number, not "${given}".`)
}

export const isSeedGiven = given !== undefined
export const seed = Number(given ?? committedSeed)
