// How many dead letters wait for a decision, for the rail.
import type { Mark } from '../../shell/mark.ts'
import { useCounts } from './letters.ts'

const everything = {}

export function useLettersMark(): Mark | undefined {
  const { data } = useCounts(everything)
  return data && data.total > 0 ? { count: data.total, tone: 'bad' } : undefined
}
