// Which files WhatsApp takes, as what, how large, and how each begins. Meta's own table, and the only place that knows it.

const megabyte = 1024 * 1024
const office = 'application/vnd.openxmlformats-officedocument.'

export const mediaKinds = ['audio', 'document', 'image', 'sticker', 'video'] as const
export type MediaKind = (typeof mediaKinds)[number]

interface FileType {
  kind: MediaKind
  /** What a file of this type is called; the first is for names that we make. */
  extensions: [string, ...string[]]
  /** Whether a file may begin like this. */
  begins(head: Buffer): boolean
}

const at = (offset: number, text: string) => (head: Buffer) =>
  head.toString('latin1', offset, offset + text.length) === text
const either =
  (...forms: ((head: Buffer) => boolean)[]) =>
  (head: Buffer) =>
    forms.some((form) => form(head))

const zip = at(0, 'PK\x03\x04')
// Word, Excel and PowerPoint before 2007.
const compound = at(0, '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')
const isoMedia = at(4, 'ftyp')
/** Twelve set bits begin an MPEG audio frame; the two bits of the layer tell MPEG audio (not 0) from AAC (0). */
const mpegFrame = (isAac: boolean) => (head: Buffer) =>
  head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0 && (((head[1] ?? 0) & 0x06) === 0) === isAac

/** The first bytes that are looked at. */
export const headBytes = 1024

const types: Record<string, FileType> = {
  'audio/aac': {
    kind: 'audio',
    extensions: ['aac'],
    begins: either(mpegFrame(true), at(0, 'ADIF')),
  },
  'audio/amr': { kind: 'audio', extensions: ['amr'], begins: at(0, '#!AMR') },
  'audio/mpeg': {
    kind: 'audio',
    extensions: ['mp3'],
    begins: either(at(0, 'ID3'), mpegFrame(false)),
  },
  'audio/mp4': { kind: 'audio', extensions: ['m4a', 'mp4'], begins: isoMedia },
  'audio/ogg': { kind: 'audio', extensions: ['ogg', 'opus', 'oga'], begins: at(0, 'OggS') },
  'text/plain': {
    kind: 'document',
    extensions: ['txt', 'text', 'csv', 'log', 'md'],
    begins: (head) =>
      !head.includes(0) &&
      !/^\s*<(?:!doctype|html|script|svg|\?xml)/i.test(head.toString('latin1')),
  },
  // Readers take it anywhere in the first kilobyte, so some files have something before it.
  'application/pdf': {
    kind: 'document',
    extensions: ['pdf'],
    begins: (head) => head.includes('%PDF-'),
  },
  'application/msword': { kind: 'document', extensions: ['doc', 'dot'], begins: compound },
  'application/vnd.ms-excel': { kind: 'document', extensions: ['xls'], begins: compound },
  'application/vnd.ms-powerpoint': { kind: 'document', extensions: ['ppt'], begins: compound },
  [`${office}wordprocessingml.document`]: { kind: 'document', extensions: ['docx'], begins: zip },
  [`${office}spreadsheetml.sheet`]: { kind: 'document', extensions: ['xlsx'], begins: zip },
  [`${office}presentationml.presentation`]: { kind: 'document', extensions: ['pptx'], begins: zip },
  'image/jpeg': { kind: 'image', extensions: ['jpg', 'jpeg'], begins: at(0, '\xff\xd8\xff') },
  'image/png': { kind: 'image', extensions: ['png'], begins: at(0, '\x89PNG\r\n\x1a\n') },
  'image/webp': {
    kind: 'sticker',
    extensions: ['webp'],
    begins: (head) => at(0, 'RIFF')(head) && at(8, 'WEBP')(head),
  },
  'video/mp4': { kind: 'video', extensions: ['mp4', 'm4v'], begins: isoMedia },
  'video/3gpp': { kind: 'video', extensions: ['3gp', '3gpp'], begins: isoMedia },
}

const maxBytes: Record<MediaKind, number> = {
  audio: 16 * megabyte,
  document: 100 * megabyte,
  image: 5 * megabyte,
  sticker: 500 * 1024,
  video: 16 * megabyte,
}
const maxStillStickerBytes = 100 * 1024

/** Of anything, inbound too. */
export const largestBytes = 100 * megabyte

export const takenTypes = Object.keys(types)

export function isMediaKind(word: string): word is MediaKind {
  return (mediaKinds as readonly string[]).includes(word)
}

/** `audio/ogg; codecs=opus` is audio/ogg. Not to be trusted to name a type: anybody writes this. */
export function bareMimeType(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** What Meta takes such a file as; undefined when it takes no such file. */
export function kindOf(mimeType: string): MediaKind | undefined {
  const bare = bareMimeType(mimeType)
  return Object.hasOwn(types, bare) ? types[bare]?.kind : undefined
}

export function extensionsOf(mimeType: string): readonly string[] {
  const bare = bareMimeType(mimeType)
  return (Object.hasOwn(types, bare) ? types[bare]?.extensions : undefined) ?? []
}

export function beginsAs(mimeType: string, head: Buffer): boolean {
  return types[bareMimeType(mimeType)]?.begins(head) ?? false
}

/** For files that nobody gave a type: what only one type begins like. */
export function detectType(head: Buffer): string | undefined {
  return [
    'image/jpeg',
    'image/png',
    'image/webp',
    'application/pdf',
    'audio/ogg',
    'audio/amr',
  ].find((type) => types[type]?.begins(head))
}

export function limitOf(kind: MediaKind, head: Buffer): number {
  return kind === 'sticker' && !isAnimatedWebp(head) ? maxStillStickerBytes : maxBytes[kind]
}

/** An extended WebP says in its flags whether it moves. */
function isAnimatedWebp(head: Buffer): boolean {
  return at(12, 'VP8X')(head) && ((head[20] ?? 0) & 0x02) !== 0
}
