// Who a payload speaks of.
import { isObject, type JsonObject, storable } from './json.ts'
import { idText, type Person, waIdText } from './webhook-item.ts'

export function personFrom(
  waId: string | undefined,
  userId: string | undefined,
): Person | undefined {
  if (waId === undefined && userId === undefined) return undefined
  return { waId, userId, name: undefined, username: undefined }
}

/** `contacts` is not in the order of the messages: whoever has one of the ids is meant. */
export function personOf(
  waId: string | undefined,
  userId: string | undefined,
  contacts: JsonObject[],
): Person {
  const contact = contacts.find(
    (candidate) =>
      (waId !== undefined && waIdText(candidate.wa_id) === waId) ||
      (userId !== undefined && candidate.user_id === userId),
  )
  const profile = isObject(contact?.profile) ? contact.profile : {}
  return {
    waId: waId ?? waIdText(contact?.wa_id),
    userId: userId ?? idText(contact?.user_id),
    name: nameText(profile.name),
    username: nameText(profile.username)?.replace(/^@/, ''),
  }
}

export function nameText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== ''
    ? (storable(value) as string).slice(0, 512)
    : undefined
}
