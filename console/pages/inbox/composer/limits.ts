// What WhatsApp takes, known before anything is uploaded. The server judges again; a test keeps both the same.

export type FileKind = 'audio' | 'document' | 'image' | 'sticker' | 'video'

export const maxText = 4096
export const maxCaption = 1024

const megabyte = 1024 * 1024
const office = 'application/vnd.openxmlformats-officedocument.'

const types: Record<string, [kind: FileKind, ...extensions: string[]]> = {
  'audio/aac': ['audio', 'aac'],
  'audio/amr': ['audio', 'amr'],
  'audio/mpeg': ['audio', 'mp3'],
  'audio/mp4': ['audio', 'm4a'],
  'audio/ogg': ['audio', 'ogg', 'opus', 'oga'],
  'text/plain': ['document', 'txt', 'text', 'csv', 'log', 'md'],
  'application/pdf': ['document', 'pdf'],
  'application/msword': ['document', 'doc', 'dot'],
  'application/vnd.ms-excel': ['document', 'xls'],
  'application/vnd.ms-powerpoint': ['document', 'ppt'],
  [`${office}wordprocessingml.document`]: ['document', 'docx'],
  [`${office}spreadsheetml.sheet`]: ['document', 'xlsx'],
  [`${office}presentationml.presentation`]: ['document', 'pptx'],
  'image/jpeg': ['image', 'jpg', 'jpeg'],
  'image/png': ['image', 'png'],
  'image/webp': ['sticker', 'webp'],
  'video/mp4': ['video', 'mp4', 'm4v'],
  'video/3gpp': ['video', '3gp', '3gpp'],
}

export const maxBytes: Record<FileKind, number> = {
  audio: 16 * megabyte,
  document: 100 * megabyte,
  image: 5 * megabyte,
  sticker: 500 * 1024,
  video: 16 * megabyte,
}

/** For a file chooser. */
export const acceptedFiles = [
  ...Object.keys(types),
  ...Object.values(types).flatMap(([, ...extensions]) => extensions.map((one) => `.${one}`)),
].join(',')

/** Browsers call a `.csv` this and a `.m4a` that: what the type does not tell, the name does. */
export function typeOf({ name, type }: { name: string; type: string }): string | undefined {
  const bare = type.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (Object.hasOwn(types, bare)) return bare
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.keys(types).find((one) => types[one]?.slice(1).includes(extension))
}

export const kindOf = (type: string): FileKind | undefined => types[type]?.[0]

export type FileProblem =
  | { kind: 'type' }
  | { kind: 'empty' }
  | { kind: 'size'; of: FileKind; max: number }

export type JudgedFile =
  | { file: File; kind: FileKind; problem?: undefined }
  | { file: File; kind: FileKind | undefined; problem: FileProblem }

/** The file with the type that it goes by. */
export function judge(given: File): JudgedFile {
  const type = typeOf(given)
  const kind = type === undefined ? undefined : kindOf(type)
  if (type === undefined || kind === undefined) {
    return { file: given, kind: undefined, problem: { kind: 'type' } }
  }
  const file =
    given.type === type
      ? given
      : new File([given], given.name, { type, lastModified: given.lastModified })
  if (file.size === 0) return { file, kind, problem: { kind: 'empty' } }
  const max = maxBytes[kind]
  return file.size > max ? { file, kind, problem: { kind: 'size', of: kind, max } } : { file, kind }
}

/** As the server counts: an emoji is one character, not two. */
export const lengthOf = (text: string) => [...text].length
