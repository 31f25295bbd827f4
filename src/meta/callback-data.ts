// biz_opaque_callback_data: Meta gives it back in every status of a message. Ours names the attempt; what the tenant
// wanted to have back rides behind it.

const prefix = 'est:'
const shape = /^est:([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\|([\s\S]*))?$/

export function packCallback(attemptId: string, own: string | null): string {
  return own === null ? prefix + attemptId : `${prefix}${attemptId}|${own}`
}

/** Undefined for what is not ours: sent by another program with the same number. */
export function unpackCallback(
  data: unknown,
): { attemptId: string; own: string | null } | undefined {
  const [, attemptId, own] = typeof data === 'string' ? (shape.exec(data) ?? []) : []
  return attemptId === undefined ? undefined : { attemptId, own: own ?? null }
}
