// Public ids: a prefix that says what it is, and the row's random uuid without its dashes.
export type IdPrefix =
  | 'msg'
  | 'conv'
  | 'acc'
  | 'key'
  | 'dlq'
  | 'aev'
  | 'sup'
  | 'tpl'
  | 'med'
  | 'evt'
  | 'ep'
  | 'usr'
  | 'ach'
  | 'alt'

export function publicId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${uuid.replaceAll('-', '')}`
}

/** The uuid behind a public id, or undefined when it cannot be one (then there is no such thing). */
export function uuidOf(prefix: IdPrefix, id: string): string | undefined {
  const hex = id.startsWith(`${prefix}_`) ? id.slice(prefix.length + 1) : ''
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function isUuid(text: string): boolean {
  return uuidShape.test(text)
}
