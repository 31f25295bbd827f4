// What the test files of one run share. Each is made when the first file asks for it, so a file that needs none waits for none.
// global-setup.ts answers; here the workers ask.
import { inject } from 'vitest'

export interface Resources {
  postgres: {
    /** The server's `postgres` database, from which test databases are made. */
    adminUrl: string
  }
  programs: {
    /** The program, built from these sources, in one file. */
    program: string
    /** The same as `npm run build` leaves it, file by file. */
    build: string
  }
  /** dist/console, built from these sources. */
  console: Record<string, never>
}

declare module 'vitest' {
  interface ProvidedContext {
    resources: string
  }
}

/** Resolves once it is there. */
export async function resource<Name extends keyof Resources>(name: Name): Promise<Resources[Name]> {
  const answer = await fetch(`${inject('resources')}/${name}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${name} could not be made: ${text}`)
  return JSON.parse(text)
}
