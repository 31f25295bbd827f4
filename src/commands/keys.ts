// `estafet keys`: which of ENCRYPTION_KEYS are still needed.
import { adviceFor, type KeyUse, readKeyUse } from '../secrets/keys.ts'
import { print, type TableOptions, withRuntime } from './manage.ts'
import { table } from './text.ts'

/** False when something is sealed with a key that is not there. */
export async function keysCommand(options: TableOptions): Promise<boolean> {
  let isWhole = false
  await withRuntime(async ({ db, config }) => {
    const keys = await readKeyUse(db.api, config.encryptionKeys)
    isWhole = keys.every(({ state }) => state !== 'missing')
    print(options, { data: keys, paging: { next: null } }, keysText(keys))
  })
  return isWhole
}

function keysText(keys: KeyUse[]): string {
  const rows = keys.map((key) => [key.id, key.state, String(key.sealed), adviceFor(key)])
  return table(['KEY', 'STATE', 'SEALED', ''], rows)
}
