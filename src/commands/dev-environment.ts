// What a shell needs to talk to a running `dev`: `. .estafet/dev.env`. Every sample of the documents begins with it.
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataDir: string) => join(dataDir, 'dev.env')

/** Returns the file's path. It is there only while `dev` runs, and holds keys: for its owner alone. */
export async function writeDevEnvironment(
  dataDir: string,
  variables: Record<string, string>,
): Promise<string> {
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`)
  // A file that was left behind may be open to others.
  await removeDevEnvironment(dataDir)
  await writeFile(fileIn(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 })
  return fileIn(dataDir)
}

export const removeDevEnvironment = (dataDir: string) => rm(fileIn(dataDir), { force: true })

/** One word for every POSIX shell. */
const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
