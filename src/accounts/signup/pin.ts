// The two-step verification PIN that we set when we register a number.
import type { Vault } from '../vault.ts'

/** Not random: when the commit after a registration fails, the next one must still know it. */
export function derivedPin(vault: Vault, phoneNumberId: string): string {
  const bytes = vault.derive(`two-step pin of ${phoneNumberId}`)
  return String(bytes.readUInt32BE(0) % 1_000_000).padStart(6, '0')
}
