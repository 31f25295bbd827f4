// A channel's sealed target and secret, opened for a call.
import type { Vault } from '../accounts/vault.ts'
import type { EnvironmentChannel } from './environment.ts'
import type { ChannelKind } from './model.ts'
import type { Destination } from './render.ts'

const placeOf = (tenantId: string | null) => `${tenantId ?? 'operator'}/alert_channels`

export function targetOwner(tenantId: string | null, id: string): string {
  return `${placeOf(tenantId)}/target/${id}`
}

export function secretOwner(tenantId: string | null, id: string): string {
  return `${placeOf(tenantId)}/secret/${id}`
}

export interface Sealed {
  id: string
  tenant_id: string | null
  kind: ChannelKind
  target: string | null
  secret: string | null
}

/** Or why not: something of ours, which the operator can change. */
export function openDestination(
  { vault, environmentChannels }: { vault: Vault; environmentChannels: EnvironmentChannel[] },
  { id, tenant_id: tenantId, kind, target, secret }: Sealed,
): Destination | 'NOT_CONFIGURED' | 'SECRET_UNREADABLE' {
  if (target === null) {
    const known = environmentChannels.find((one) => one.id === id)
    return known ? { kind, target: known.target, secret: null } : 'NOT_CONFIGURED'
  }
  try {
    return {
      kind,
      target: vault.open(target, targetOwner(tenantId, id)),
      secret: secret && vault.open(secret, secretOwner(tenantId, id)),
    }
  } catch {
    return 'SECRET_UNREADABLE'
  }
}
