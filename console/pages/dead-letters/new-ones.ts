// How many came since the list was asked for: they wait until the person wants them.
import { type Asked, type Letter, sumOf, useCounts } from './letters.ts'

export function useNewOnes(asked: Asked, letters: Letter[], loadedAt: number): number {
  const newest = letters[0]?.created_at
  // The API shows milliseconds; what it compares with may be finer.
  const since = new Date(newest ? new Date(newest).getTime() + 1 : loadedAt).toISOString()
  const { data } = useCounts({ ...asked.wide, created_after: since })
  return asked.isDecided || loadedAt === 0 ? 0 : (sumOf(data, asked) ?? 0)
}
