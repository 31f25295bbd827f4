// A long run that somebody stops leaves no process behind, and says what it was a run of.
import { endFile } from '../test/support/after-file.ts'

export function endWhenInterrupted(seed: string): void {
  const codes = { SIGINT: 130, SIGTERM: 143 } as const
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, () => {
      void endFile()
        .catch((error) => console.error(error))
        .finally(() => {
          console.log(`interrupted, seed ${seed}`)
          process.exit(code)
        })
    })
  }
}
