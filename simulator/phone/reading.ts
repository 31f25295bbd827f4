// Careful looks into values of unknown shape: what the business sent is not ours to trust.
export function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The objects of a list, without what is none. */
export function asRecords(value: unknown): Record<string, unknown>[] {
  return asList(value)
    .map(asRecord)
    .filter((entry) => entry !== undefined)
}
