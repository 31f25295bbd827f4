// Names for files that strangers named. What goes into a header or onto somebody's disk is made here, never passed through.
import { bareMimeType, extensionsOf, type MediaKind } from './kinds.ts'

/** Bytes: file systems take 255, and whoever saves it may add something. */
const maxNameBytes = 150
/** Control, format (among them those that turn the direction of reading) and private characters; halves of pairs. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]/gu
const meaningful = /[\\/:*?"<>|%;]/g
/** Windows reserves these names whatever follows the first dot, and ignores the spaces before that dot. */
const reserved =
  /^(?:con|prn|aux|nul|com[\d\u00b9\u00b2\u00b3]|lpt[\d\u00b9\u00b2\u00b3]) *(?:\.|$)/i

/** A name without a path, without anything that a header, a shell or a file system reads a meaning into; ends as the type says. */
export function safeFilename(
  given: string | null,
  { kind, mimeType, id }: { kind: MediaKind; mimeType: string; id: string },
): string {
  const cleaned = clean(given ?? '')
  const name = cleaned === '' ? '' : endAsTypeSays(cleaned, mimeType)
  // Checked last: cutting and trimming can leave a reserved name of one that was not reserved, `con ..con` for example.
  if (name !== '' && !reserved.test(name)) return name
  return endAsTypeSays(`${kind}-${id.replaceAll('-', '').slice(-8)}`, mimeType)
}

function endAsTypeSays(name: string, mimeType: string): string {
  const extensions = extensionsOf(mimeType)
  const [own] = extensions
  const ending = /\.([^.]{1,16})$/.exec(name)?.[1]?.toLowerCase()
  if (own === undefined || (ending !== undefined && extensions.includes(ending)))
    return cut(name, '')
  return cut(name, `.${own}`)
}

function clean(given: string): string {
  return (
    given
      .slice(0, 2_000)
      .toWellFormed()
      // Before the normalization, which composes what they kept apart.
      .replace(invisible, '')
      .normalize('NFC')
      .replace(/^.*[\\/]/s, '')
      .replace(meaningful, '_')
      .replace(/\s+/g, ' ')
      // A leading dot hides a file; a trailing one, or a space, is dropped by some systems.
      .replace(/^[. ]+|[. ]+$/g, '')
  )
}

/** Shortened from the middle, so that the extension stays. */
function cut(name: string, extension: string): string {
  const own = extension === '' ? (/\.[^.]{1,16}$/.exec(name)?.[0] ?? '') : extension
  const stem = extension === '' ? name.slice(0, name.length - own.length) : name
  let room = maxNameBytes - Buffer.byteLength(own)
  let kept = ''
  // Character by character, once: a name of two thousand must not cost two thousand copies of it.
  for (const character of stem) {
    room -= Buffer.byteLength(character)
    if (room < 0) break
    kept += character
  }
  return `${kept.replace(/[. ]+$/, '') || 'file'}${own}`
}

/** RFC 6266: plain ASCII for old clients, the real name in UTF-8 for the others. */
export function attachmentHeader(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(filename).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** What a browser is told. Only types that Meta itself takes, none of which runs anything; everything else is just bytes. */
export function servedType(mimeType: string): string {
  return extensionsOf(mimeType).length > 0 ? bareMimeType(mimeType) : 'application/octet-stream'
}

/** For Meta's upload: its form is written by us, so nothing but plain characters. */
export function plainFilename(filename: string): string {
  return filename.replace(/[^A-Za-z0-9._ -]/g, '_')
}
