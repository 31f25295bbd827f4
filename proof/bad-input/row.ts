// One kind of bad input, what it is answered, and the tests that hold it.
export interface BadInput {
  id: string
  input: string
  answer: string
  /** Where this is not what one might expect. */
  because?: string
  /** By file; titles as they are written there, with their placeholders. */
  tests: Record<string, string[]>
}

export const e2e = (name: string) => `test/e2e/${name}.test.ts`
