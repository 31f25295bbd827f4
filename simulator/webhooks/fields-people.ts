// Webhook fields about people and what was said outside the messages field: preferences, ids,
// calls, groups, and what the WhatsApp Business app shares.
import { digitsOf, makeDigits, makeWamid, phoneInside } from '../identifiers.ts'
import { RequestError } from '../request-error.ts'
import { type EventBuilder, type EventContext, untimed } from './event-context.ts'
import { freshUserId, userIdOf } from './identity.ts'
import { aboutNumber, contactOf, webhookError } from './payloads.ts'

const about = (context: EventContext) => aboutNumber(context.number())
const contacts = ({ person }: EventContext) => ({ contacts: [contactOf(person)] })
const names = ({ person: { wa_id, user_id } }: EventContext) => ({ wa_id, user_id })
const ownNumber = (context: EventContext) => digitsOf(context.number().display_phone_number)

const wamidOf = ({ input, person, random }: EventContext, direction: 'inbound' | 'outbound') =>
  input.wamid ?? makeWamid(direction, phoneInside(person.wa_id ?? '0'), random)

const preferences: EventBuilder = (context) => {
  const value = context.input.event ?? 'stop'
  return untimed({
    ...about(context),
    ...contacts(context),
    user_preferences: [
      {
        ...names(context),
        detail: `User requested to ${value} marketing messages`,
        category: 'marketing_messages',
        value,
        timestamp: context.nowSeconds,
      },
    ],
  })
}

const userIdUpdate: EventBuilder = (context) => {
  const { input, person, wabaId, random, nowSeconds } = context
  const previous = person.user_id ?? userIdOf(person.wa_id ?? '', wabaId)
  const user_id = input.user_id ?? { previous, current: freshUserId(previous, random) }
  return untimed({
    ...about(context),
    ...contacts(context),
    user_id_update: [
      {
        wa_id: person.wa_id,
        detail: `User id for ${person.name} has been updated.`,
        user_id,
        timestamp: String(nowSeconds),
      },
    ],
  })
}

const calls: EventBuilder = (context) => {
  const { input, person, nowSeconds, random } = context
  const id = `wacid.${random.bytes(18).toString('base64url')}`
  const timestamp = String(nowSeconds)
  const type = variant(input.type, ['connect', 'terminate', 'status'])
  if (type === 'status') {
    const status = input.status ?? 'RINGING'
    const recipient = { recipient_id: person.wa_id, recipient_user_id: person.user_id }
    return untimed({
      ...about(context),
      statuses: [{ id, type: 'call', status, timestamp, ...recipient }],
    })
  }
  const call = {
    id,
    from: person.wa_id,
    from_user_id: person.user_id,
    to: ownNumber(context),
    event: type,
    timestamp,
    direction: 'USER_INITIATED',
  }
  return type === 'connect'
    ? untimed({
        ...about(context),
        ...contacts(context),
        calls: [{ ...call, session: { sdp_type: 'offer', sdp: 'v=0\r\ns=-\r\n' } }],
      })
    : untimed({
        ...about(context),
        calls: [
          {
            ...call,
            status: 'COMPLETED',
            start_time: String(nowSeconds - 120),
            end_time: timestamp,
            duration: 120,
          },
        ],
      })
}

const history: EventBuilder = (context) => {
  const { input, person, nowSeconds, random } = context
  const type = variant(input.type, ['threads', 'media', 'declined'])
  const customer = person.wa_id ?? '0'
  const said = (direction: 'inbound' | 'outbound', agoSeconds: number) => ({
    from: direction === 'inbound' ? customer : ownNumber(context),
    ...(direction === 'outbound' ? { to: customer } : {}),
    id: makeWamid(direction, phoneInside(customer), random),
    timestamp: String(nowSeconds - agoSeconds),
  })
  if (type === 'declined') {
    const title = 'History sync is turned off by the business from the WhatsApp Business App'
    const details = 'History sharing is turned off by the business'
    return untimed({
      ...about(context),
      history: [{ errors: [webhookError({ code: 2593109, title, details })] }],
    })
  }
  if (type === 'media') {
    const image = {
      mime_type: 'image/jpeg',
      sha256: random.bytes(32).toString('base64'),
      id: makeDigits(16, random),
    }
    return untimed({
      ...about(context),
      messages: [{ ...said('outbound', 86_400), type: 'image', image }],
    })
  }
  const text = (body: string, status: string) => ({
    type: 'text',
    text: { body },
    history_context: { status },
  })
  return untimed({
    ...about(context),
    history: [
      {
        metadata: { phase: 0, chunk_order: 1, progress: 55 },
        threads: [
          {
            id: customer,
            messages: [
              { ...said('outbound', 86_400), ...text('Thanks for your order', 'READ') },
              { ...said('inbound', 86_000), ...text('Great', 'READ') },
            ],
          },
        ],
      },
    ],
  })
}

const echoes: EventBuilder = (context) => {
  const { input, person, nowSeconds, random } = context
  const type = input.type ?? 'text'
  const id = wamidOf(context, 'outbound')
  const original = () => makeWamid('outbound', phoneInside(person.wa_id ?? '0'), random)
  const content =
    type === 'revoke'
      ? { original_message_id: original() }
      : type === 'edit'
        ? {
            original_message_id: original(),
            message: { type: 'text', text: { body: 'Answered better from the phone app' } },
          }
        : { body: 'Answered from the phone app' }
  return {
    ...untimed({
      ...about(context),
      message_echoes: [
        {
          from: ownNumber(context),
          to: person.wa_id,
          to_user_id: person.user_id,
          id,
          timestamp: String(nowSeconds),
          type,
          [type]: { ...content, ...input.content },
        },
      ],
    }),
    wamid: id,
  }
}

const stateSync: EventBuilder = (context) => {
  const { input, person, nowSeconds } = context
  const action = input.event ?? 'add'
  return untimed({
    ...about(context),
    state_sync: [
      {
        type: 'contact',
        contact: {
          ...(action === 'remove' ? {} : { full_name: person.name }),
          phone_number: person.wa_id,
        },
        action,
        metadata: { timestamp: String(nowSeconds) },
      },
    ],
  })
}

const groupTypes: Record<string, string> = {
  group_lifecycle_update: 'group_create',
  group_participants_update: 'group_participants_add',
  group_settings_update: 'group_settings_update',
  group_status_update: 'group_suspend',
}

const groupDetails: Record<string, (context: EventContext) => object> = {
  group_lifecycle_update: () => ({ subject: 'Balcony gardeners' }),
  group_participants_update: (context) => ({
    reason: 'invite_link',
    added_participants: [names(context)],
  }),
  group_settings_update: () => ({
    group_subject: { text: 'Balcony gardeners', update_successful: true },
  }),
  group_status_update: () => ({}),
}

const groups =
  (field: string): EventBuilder =>
  (context) =>
    untimed({
      ...about(context),
      groups: [
        {
          timestamp: String(context.nowSeconds),
          group_id: Buffer.from(`capi_group:${ownNumber(context)}:120363404694233820`).toString(
            'base64url',
          ),
          type: context.input.type ?? groupTypes[field],
          ...groupDetails[field]?.(context),
        },
      ],
    })

/** Fields whose content is not documented well enough to imitate: the frame, and what one gives. */
const frameOnly: EventBuilder = (context) => untimed(about(context))

export const peopleFields: Record<string, EventBuilder> = {
  user_preferences: preferences,
  user_id_update: userIdUpdate,
  calls,
  history,
  smb_message_echoes: echoes,
  message_echoes: echoes,
  smb_app_state_sync: stateSync,
  ...Object.fromEntries(Object.keys(groupTypes).map((field) => [field, groups(field)])),
  automatic_events: frameOnly,
  tracking_events: frameOnly,
  messaging_handovers: frameOnly,
  standby: frameOnly,
}

/** The first of the known ones unless the caller asks for another of them. */
function variant<T extends string>(wanted: string | undefined, known: readonly [T, ...T[]]): T {
  if (wanted === undefined) return known[0]
  const found = known.find((each) => each === wanted)
  if (found === undefined) {
    throw new RequestError(400, 'INVALID_REQUEST', `type: must be one of ${known.join(', ')}`)
  }
  return found
}
