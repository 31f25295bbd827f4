// How much waits in a view, shown beside its name in the rail.

export interface Mark {
  count: number
  /** `bad`: somebody has to act. `plain`: there is something to read. */
  tone: 'plain' | 'bad'
}
