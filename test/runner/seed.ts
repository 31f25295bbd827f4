// The seed of a run: the same in every run unless SEED names another.

/** Committed on purpose: a red `npm test` is red again with the same command. */
export const committedSeed = 20261119

// biome-ignore lint/style/noProcessEnv: a person or `test:repeat` names the seed.
export const seed = Number(process.env.SEED ?? committedSeed)
