// What whoever was called said, as far as a person wants to read it.

const longestExcerpt = 500

export function excerptOf(body: Buffer | null): string | null {
  if (body === null) return null
  return body.toString('utf8').replaceAll('\0', '').slice(0, longestExcerpt).trim() || null
}
