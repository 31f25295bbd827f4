// Every field that is not messages: accounts, templates, numbers, preferences, calls, groups, and whatever comes next.
// What a field lists is one notice each; a field without a list is one notice.
import { isObject, type JsonObject, storable } from './json.ts'
import { nameText, personFrom, personOf } from './persons.ts'
import {
  guarded,
  idText,
  malformed,
  type NoticeItem,
  type Place,
  type WebhookItem,
  waIdText,
} from './webhook-item.ts'

/** Where a field keeps its list. */
const lists: Record<string, string> = {
  errors: 'errors',
  user_preferences: 'user_preferences',
  user_id_update: 'user_id_update',
  calls: 'calls',
  smb_app_state_sync: 'state_sync',
  group_lifecycle_update: 'groups',
  group_participants_update: 'groups',
  group_settings_update: 'groups',
  group_status_update: 'groups',
}

export function parseNotices(
  field: string,
  value: JsonObject,
  place: Place,
  entryTime: unknown,
): WebhookItem[] {
  const name = lists[field]
  const list = name === undefined ? undefined : value[name]
  if (name === undefined || !Array.isArray(list)) {
    const {
      metadata: _metadata,
      messaging_product: _product,
      contacts: _contacts,
      ...content
    } = value
    return guarded(place, () => [notice(field, content, value, place, entryTime)])
  }
  return list.flatMap((element, index) => {
    const at = { ...place, path: `${place.path}.value.${name}[${index}]`, raw: element }
    if (!isObject(element)) return [malformed(at, `${name}[${index}] is not an object`)]
    return guarded(at, () => [notice(field, element, value, at, entryTime)])
  })
}

function notice(
  field: string,
  content: JsonObject,
  value: JsonObject,
  place: Place,
  entryTime: unknown,
): NoticeItem {
  const contacts = Array.isArray(value.contacts) ? value.contacts.filter(isObject) : []
  const settings = isObject(content.phone_number_settings) ? content.phone_number_settings : {}
  const waba = isObject(content.waba_info) ? idText(content.waba_info.waba_id) : undefined
  return {
    kind: 'notice',
    ...place,
    // Some account updates stand under the partner's business and name the account inside.
    wabaId: waba ?? place.wabaId,
    phoneNumberId: place.phoneNumberId ?? idText(settings.phone_number_id),
    field,
    event: eventOf(content),
    displayPhoneNumber: waIdText(content.display_phone_number),
    ...identityOf(field, content, contacts),
    opensWindow: field === 'calls' && content.direction === 'USER_INITIATED',
    timestamp: [timestampOf(content), entryTime].find(isTime),
    content: storable(content) as JsonObject,
  }
}

function eventOf(content: JsonObject): string | undefined {
  const words = [
    content.event,
    content.decision,
    content.value,
    content.action,
    content.status,
    content.type,
  ]
  const word = words.find((candidate) => typeof candidate === 'string') ?? codeOf(content)
  return word === undefined ? undefined : (storable(String(word)) as string).slice(0, 128)
}

function codeOf(content: JsonObject): number | undefined {
  return typeof content.code === 'number' ? content.code : undefined
}

function timestampOf(content: JsonObject): unknown {
  return content.timestamp ?? (isObject(content.metadata) ? content.metadata.timestamp : undefined)
}

/** The notice's key is made of it: what is no time at all, and may be nested however deeply, is left out. */
function isTime(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

/** Whom a notice is about, and who they are from now on where it says so. */
function identityOf(
  field: string,
  content: JsonObject,
  contacts: JsonObject[],
): Pick<NoticeItem, 'contact' | 'newIdentity'> {
  switch (field) {
    case 'user_preferences':
      return {
        contact: known(personOf(waIdText(content.wa_id), idText(content.user_id), contacts)),
        newIdentity: undefined,
      }
    case 'user_id_update': {
      const ids = isObject(content.user_id) ? content.user_id : {}
      const waId = waIdText(content.wa_id)
      return {
        contact: personFrom(undefined, idText(ids.previous)) ?? personFrom(waId, undefined),
        newIdentity: personFrom(waId, idText(ids.current)),
      }
    }
    case 'calls':
      return content.direction === 'USER_INITIATED'
        ? {
            contact: known(
              personOf(waIdText(content.from), idText(content.from_user_id), contacts),
            ),
            newIdentity: undefined,
          }
        : { contact: undefined, newIdentity: undefined }
    case 'smb_app_state_sync': {
      const contact = isObject(content.contact) ? content.contact : {}
      const person = personFrom(waIdText(contact.phone_number), undefined)
      const name = content.action === 'remove' ? undefined : nameText(contact.full_name)
      return { contact: person && { ...person, name }, newIdentity: undefined }
    }
    default:
      return { contact: undefined, newIdentity: undefined }
  }
}

function known(person: ReturnType<typeof personOf>) {
  return person.waId === undefined && person.userId === undefined ? undefined : person
}
