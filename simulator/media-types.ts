// Which files WhatsApp takes, as what kind of message, and how large they may be.

const megabyte = 1024 * 1024
const office = 'application/vnd.openxmlformats-officedocument.'

interface Kind {
  mimeTypes: string[]
  maxBytes: number
}

export const mediaKinds = {
  audio: {
    mimeTypes: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
    maxBytes: 16 * megabyte,
  },
  document: {
    mimeTypes: [
      'text/plain',
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${office}wordprocessingml.document`,
      `${office}spreadsheetml.sheet`,
      `${office}presentationml.presentation`,
    ],
    maxBytes: 100 * megabyte,
  },
  image: { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 5 * megabyte },
  sticker: { mimeTypes: ['image/webp'], maxBytes: 500 * 1024 },
  video: { mimeTypes: ['video/mp4', 'video/3gpp'], maxBytes: 16 * megabyte },
} satisfies Record<string, Kind>

export type MediaKind = keyof typeof mediaKinds

/** Static stickers may be smaller still than animated ones. */
const maxStaticStickerBytes = 100 * 1024

export const largestMediaBytes = 100 * megabyte

export function isMediaKind(type: string): type is MediaKind {
  return Object.hasOwn(mediaKinds, type)
}

/** `audio/ogg; codecs=opus` is audio/ogg. */
export function bareMimeType(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

export function kindOfMimeType(mimeType: string): MediaKind | undefined {
  const bare = bareMimeType(mimeType)
  return (Object.keys(mediaKinds) as MediaKind[]).find((kind) => fitsKind(kind, bare))
}

export function fitsKind(kind: MediaKind, mimeType: string): boolean {
  const { mimeTypes }: Kind = mediaKinds[kind]
  return mimeTypes.includes(bareMimeType(mimeType))
}

export function maxBytesOf(kind: MediaKind, bytes: Buffer): number {
  return kind === 'sticker' && !isAnimatedWebp(bytes)
    ? maxStaticStickerBytes
    : mediaKinds[kind].maxBytes
}

/** An extended WebP says in its flags that it is animated. */
export function isAnimatedWebp(bytes: Buffer): boolean {
  return bytes.toString('latin1', 12, 16) === 'VP8X' && ((bytes[20] ?? 0) & 0x02) !== 0
}
