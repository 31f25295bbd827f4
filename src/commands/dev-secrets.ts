// What `dev` makes up once and keeps in DATA_DIR, so that a second start has the same keys and the same data.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../time-and-chance.ts'

export interface DevSecrets {
  /** Environment variables, used where the real environment sets none. */
  environment: Record<string, string>
  /** The sample tenants' keys: shown at every start, because this is nobody's data. */
  tenantKeys: Record<string, string>
  /** Of everybody who signs in to the console here. Missing in files of earlier versions. */
  consolePassword?: string
  /** Of the last start, as environment variables. */
  addresses?: Record<string, string>
}

const fileIn = (dataDir: string) => join(dataDir, 'dev-secrets.json')

export async function readDevSecrets(dataDir: string): Promise<DevSecrets | undefined> {
  try {
    return JSON.parse(await readFile(fileIn(dataDir), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    const advice =
      error instanceof SyntaxError
        ? `is damaged; delete that file to get new keys`
        : `cannot be read; DATA_DIR must be a directory of the user who starts Estafet`
    throw new Error(`${fileIn(dataDir)} ${advice}`, { cause: error })
  }
}

export async function ensureDevSecrets(dataDir: string, random: Random): Promise<DevSecrets> {
  const kept = await readDevSecrets(dataDir)
  const word = (bytes: number) => random.bytes(bytes).toString('base64url')
  if (kept) {
    const whole = { consolePassword: word(12), ...kept }
    // Before anybody signs in with it.
    if (kept.consolePassword === undefined) await writeDevSecrets(dataDir, whole)
    return whole
  }
  const made: DevSecrets = {
    environment: {
      META_APP_ID: '100000000000001',
      META_APP_SECRET: random.bytes(16).toString('hex'),
      META_VERIFY_TOKEN: word(16),
      ADMIN_API_KEY: `dev:${word(24)}`,
      ENCRYPTION_KEYS: `dev:${random.bytes(32).toString('base64')}`,
    },
    tenantKeys: {},
    consolePassword: word(12),
  }
  await writeDevSecrets(dataDir, made)
  return made
}

export async function writeDevSecrets(dataDir: string, secrets: DevSecrets): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = fileIn(dataDir)
  await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}
