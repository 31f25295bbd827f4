// A long run that somebody stops, or that breaks, leaves no process behind, and says what it was a run of.
import { endFile } from '../test/support/after-file.ts'

export function endWhenInterrupted(seed: string): void {
  let isEnding = false
  function end(why: string, code: number): void {
    // A key pressed once can be heard twice, from the terminal and from npm: who is ending goes on with it.
    if (isEnding) return
    isEnding = true
    void endFile()
      .catch((error) => console.error(error))
      .finally(() => {
        console.log(`${why}, seed ${seed}`)
        process.exit(code)
      })
  }
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.on(signal, () => end('interrupted', code))
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error) => {
      console.error(error)
      end('broken off', 1)
    })
  }
}
