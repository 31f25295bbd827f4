// Secrets at rest: AES-256-GCM under a key ring. The first key encrypts, all decrypt. What a ciphertext belongs to is
// authenticated with it, so one cannot be moved to another row or another tenant.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { Random } from '../time-and-chance.ts'

export interface VaultKey {
  id: string
  key: Buffer
}

export interface Vault {
  /** `owner` names the place: tenant, table, column and row. */
  seal(plaintext: string, owner: string): string
  open(sealed: string, owner: string): string
  /** The id of the first key: what another one sealed is to be sealed anew (secrets/reseal.ts). */
  keyId: string
  /** A secret for this purpose that need not be kept: the same again while the first key is the same. */
  derive(purpose: string): Buffer
}

export function createVault(ring: readonly VaultKey[], random: Random): Vault {
  const [current] = ring
  if (!current) throw new Error('bug: the key ring is empty')
  const keys = new Map(ring.map(({ id, key }) => [id, key]))
  return {
    seal(plaintext, owner) {
      const nonce = random.bytes(12)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce)
      cipher.setAAD(Buffer.from(owner))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
      return `v1.${current.id}.${sealed}`
    },
    open(sealed, owner) {
      const [version, id, encoded] = sealed.split('.')
      const key = keys.get(id ?? '')
      if (version !== 'v1' || encoded === undefined) throw new Error('bug: not a sealed secret')
      if (!key)
        throw new Error(
          `A secret was sealed with the key "${id}", which is not in ENCRYPTION_KEYS.`,
        )
      const bytes = Buffer.from(encoded, 'base64')
      // Node would take a tag of 4 bytes too, which can be guessed.
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), {
        authTagLength: 16,
      })
      decipher.setAAD(Buffer.from(owner))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
    keyId: current.id,
    derive: (purpose) => createHmac('sha256', current.key).update(`derive ${purpose}`).digest(),
  }
}

export function tokenOwner(tenantId: string, accountId: string): string {
  return `${tenantId}/whatsapp_accounts/access_token/${accountId}`
}

export function pinOwner(tenantId: string, accountId: string): string {
  return `${tenantId}/whatsapp_accounts/pin/${accountId}`
}
