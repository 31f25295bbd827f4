/** Far above any real message, far below what overflows the stack when the ledger is shown. */
const maxDepth = 200

/** JSON.parse that also refuses what could be read but never be written again. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (isDeeperThan(maxDepth, value)) throw new SyntaxError(`nested deeper than ${maxDepth} levels`)
  return value
}

// Level by level rather than recursively: recursion is what deep nesting breaks.
function isDeeperThan(limit: number, value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each) : [],
    )
  }
  return false
}
