// The bytes of files that customers send without saying what is in them.

const jpeg =
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////' +
  '////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA='
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const webp = 'UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA'

const pictures: Record<string, string> = {
  'image/jpeg': jpeg,
  'image/png': png,
  'image/webp': webp,
}

/** A picture of one pixel, or for other kinds a few words that say what they stand for. */
export function sampleBytes(mimeType: string): Buffer {
  const picture = pictures[mimeType]
  if (picture !== undefined) return Buffer.from(picture, 'base64')
  const start = mimeType === 'application/pdf' ? '%PDF-1.1\n' : ''
  return Buffer.from(`${start}A sample of ${mimeType} from the simulator.\n`)
}
