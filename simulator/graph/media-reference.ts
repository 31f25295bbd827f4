// A file named in a message: by the id of an upload of this number, or by a link that Meta fetches.
import type { Business } from '../business.ts'
import { fitsKind, type MediaKind } from '../media-types.ts'
import type { BusinessNumber } from '../numbers.ts'
import { missingParameter } from '../whatsapp-errors.ts'
import { checkText, checkUrl } from './checks.ts'
import { invalidRequest } from './errors.ts'
import type { Fields } from './fields.ts'

export interface MediaLookup {
  media: Business['media']
  number: BusinessNumber
}

/** Throws when the reference is unusable; returns false for a file of a kind that fails later. */
export function checkMediaReference(
  content: Fields,
  kind: MediaKind,
  path: string,
  { media, number }: MediaLookup,
): boolean {
  if (content.id === undefined && content.link === undefined) throw missingParameter(`${path}.id`)
  if (content.id === undefined) {
    checkUrl(content, 'link', `${path}.link`)
    return true
  }
  if (content.link !== undefined) {
    throw invalidRequest(`Only one of ${path}.id and ${path}.link can be given.`)
  }
  const file = media.find(checkText(content, 'id', `${path}.id`))
  if (file === undefined || file.phone_number_id !== number.phone_number_id) {
    throw invalidRequest(
      `Param ${path}['id'] is not a valid whatsapp business account media attachment ID.`,
    )
  }
  return fitsKind(kind, file.mime_type)
}
