// How answers are kept and asked for again.
import { QueryClient } from '@tanstack/react-query'
import { toProblem } from './problem.ts'

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Only what may pass; what was refused is refused again.
        retry: (failures, error) => failures < 3 && toProblem(error).isPassing,
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  })
}
