import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clinic, type Scene, shop, startScene } from '../test-support.ts'
import { accountEvents } from './fields-accounts.ts'
import { plainMessageTypes } from './fields-messages.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const { phone_number_id, waba_id } = shop
const number = { display_phone_number: '15550172201', phone_number_id }

/** The entry that arrives for an event of the shop. */
async function entryOf(event: object) {
  const answer = await scene.call('POST', '/simulator/events', { phone_number_id, ...event })
  expect(answer.status).toBe(201)
  await scene.simulator.settled()
  const { object, entry } = JSON.parse(scene.receiver.received.at(-1)?.body.toString() ?? '')
  expect(object).toBe('whatsapp_business_account')
  expect(entry).toHaveLength(1)
  expect(entry[0].changes).toHaveLength(1)
  return entry[0]
}

const changeOf = async (event: object) => (await entryOf(event)).changes[0]
const valueFor = async (event: object) => (await changeOf(event)).value
const seconds = expect.stringMatching(/^\d{10}$/)

describe('fields about accounts, numbers and templates', () => {
  const template = {
    message_template_id: expect.any(Number),
    message_template_name: 'order_update',
    message_template_language: 'en_US',
  }
  const display_phone_number = number.display_phone_number
  test.each<[string, object, object]>([
    [
      'account_alerts',
      {},
      {
        entity_type: 'BUSINESS',
        alert_info: {
          alert_severity: 'WARNING',
          alert_status: 'ACTIVE',
          alert_type: expect.any(String),
          alert_description: expect.any(String),
        },
      },
    ],
    ['account_review_update', { event: 'REJECTED' }, { decision: 'REJECTED' }],
    ['business_capability_update', {}, { max_daily_conversations_per_business: 2000 }],
    [
      'business_username_update',
      {},
      { display_phone_number, username: 'setefolhas', status: 'approved' },
    ],
    ['business_username_updates', { event: 'deleted' }, { status: 'deleted' }],
    ['flows', {}, { event: 'FLOW_STATUS_CHANGE', old_status: 'DRAFT', new_status: 'PUBLISHED' }],
    ['flows', { event: 'ENDPOINT_LATENCY' }, { event: 'ENDPOINT_LATENCY', threshold: 7000 }],
    ['message_template_status_update', {}, { event: 'APPROVED', ...template, reason: 'NONE' }],
    ['message_template_status_update', { event: 'REJECTED' }, { reason: 'INVALID_FORMAT' }],
    [
      'message_template_status_update',
      { event: 'DISABLED', template: { name: 'promo', id: 42, language: 'pt_BR' } },
      {
        message_template_id: 42,
        message_template_name: 'promo',
        message_template_language: 'pt_BR',
        disable_info: { disable_date: seconds },
      },
    ],
    [
      'message_template_quality_update',
      { event: 'RED' },
      { ...template, previous_quality_score: 'GREEN', new_quality_score: 'RED' },
    ],
    [
      'message_template_components_update',
      {},
      { ...template, message_template_element: expect.any(String) },
    ],
    ['template_category_update', {}, { previous_category: 'UTILITY', new_category: 'MARKETING' }],
    [
      'template_category_update',
      { event: 'impending' },
      { correct_category: 'MARKETING', category_update_timestamp: expect.any(Number) },
    ],
    [
      'phone_number_name_update',
      {},
      { display_phone_number, decision: 'APPROVED', rejection_reason: null },
    ],
    ['phone_number_name_update', { event: 'REJECTED' }, { rejection_reason: expect.any(String) }],
    [
      'phone_number_quality_update',
      {},
      { display_phone_number, event: 'THROUGHPUT_UPGRADE', current_limit: 'TIER_UNLIMITED' },
    ],
    [
      'phone_number_quality_update',
      { event: 'DOWNGRADE' },
      { event: 'DOWNGRADE', old_limit: 'TIER_10K', current_limit: 'TIER_2K' },
    ],
    ['message_template_status_update', { event: 'PENDING_DELETION' }, { reason: null }],
    ['security', { event: 'PIN_CHANGED' }, { display_phone_number, event: 'PIN_CHANGED' }],
    ['payment_configuration_update', {}, { provider_name: 'razorpay' }],
  ])('%s %j', async (field, given, value) => {
    const entry = await entryOf({ field, ...given })

    expect(entry).toMatchObject({ id: waba_id, time: expect.any(Number) })
    expect(entry.changes[0]).toMatchObject({ field, value })
  })

  test('account_settings_update has no metadata but names the number', async () => {
    const value = await valueFor({ field: 'account_settings_update' })

    expect(value).toMatchObject({
      timestamp: seconds,
      type: 'phone_number_settings',
      phone_number_settings: { phone_number_id },
    })
    expect(value).not.toHaveProperty('metadata')
  })

  test.each(accountEvents)('account_update %s', async (event) => {
    expect(await changeOf({ field: 'account_update', event })).toMatchObject({
      field: 'account_update',
      value: { event },
    })
  })

  test.each([
    ['account_update', 'PARTNER_REMOVED'],
    ['account_update', 'PARTNER_APP_UNINSTALLED'],
    ['partner_solutions', 'SOLUTION_UPDATED'],
  ])('%s %s comes in the name of the portfolio', async (field, event) => {
    const entry = await entryOf({ field, event, business_id: '990145577320018' })

    expect(entry.id).toBe('990145577320018')
    expect(entry.changes[0].value.event).toBe(event)
    if (field === 'account_update') {
      expect(entry.changes[0].value.waba_info).toMatchObject({
        waba_id,
        owner_business_id: '990145577320018',
      })
    }
  })
})

describe('fields about people', () => {
  const metadata = { messaging_product: 'whatsapp', metadata: number }
  const mara = { wa_id: '16505550143' }
  test.each<[string, object, object]>([
    [
      'user_preferences',
      {},
      {
        contacts: [mara],
        user_preferences: [
          {
            ...mara,
            category: 'marketing_messages',
            value: 'stop',
            detail: expect.any(String),
            timestamp: expect.any(Number),
          },
        ],
      },
    ],
    ['user_preferences', { event: 'resume' }, { user_preferences: [{ value: 'resume' }] }],
    [
      'user_id_update',
      { customer: { user_id: 'ES.88210447365190027731' } },
      {
        user_id_update: [
          {
            user_id: {
              previous: 'ES.88210447365190027731',
              current: expect.stringMatching(/^ES\.\d{20}$/),
            },
            timestamp: seconds,
          },
        ],
      },
    ],
    [
      'calls',
      {},
      { calls: [{ event: 'connect', from: '16505550143', session: { sdp_type: 'offer' } }] },
    ],
    ['calls', { type: 'terminate' }, { calls: [{ event: 'terminate', duration: 120 }] }],
    ['calls', { type: 'status' }, { statuses: [{ type: 'call', status: 'RINGING' }] }],
    [
      'history',
      {},
      {
        history: [
          {
            metadata: { phase: 0, chunk_order: 1, progress: 55 },
            threads: [
              {
                id: '16505550143',
                messages: [
                  { to: '16505550143', history_context: { status: 'READ' } },
                  { from: '16505550143' },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'history',
      { type: 'media' },
      { messages: [{ type: 'image', image: { id: expect.any(String) } }] },
    ],
    ['history', { type: 'declined' }, { history: [{ errors: [{ code: 2593109 }] }] }],
    [
      'smb_message_echoes',
      {},
      {
        message_echoes: [
          {
            from: number.display_phone_number,
            to: '16505550143',
            id: expect.stringMatching(/^wamid\./),
            type: 'text',
            text: { body: expect.any(String) },
          },
        ],
      },
    ],
    [
      'smb_message_echoes',
      { type: 'revoke' },
      { message_echoes: [{ revoke: { original_message_id: expect.any(String) } }] },
    ],
    ['message_echoes', {}, { message_echoes: [{ type: 'text' }] }],
    [
      'smb_app_state_sync',
      {},
      {
        state_sync: [{ type: 'contact', action: 'add', contact: { phone_number: '16505550143' } }],
      },
    ],
    ['smb_app_state_sync', { event: 'remove' }, { state_sync: [{ action: 'remove' }] }],
    ['group_lifecycle_update', {}, { groups: [{ type: 'group_create' }] }],
    ['group_participants_update', {}, { groups: [{ added_participants: [mara] }] }],
    ['group_settings_update', {}, { groups: [{ type: 'group_settings_update' }] }],
    ['group_status_update', {}, { groups: [{ type: 'group_suspend' }] }],
    ['automatic_events', {}, {}],
    ['tracking_events', {}, {}],
    ['messaging_handovers', {}, {}],
    ['standby', {}, {}],
  ])('%s %j', async (field, given, value) => {
    const entry = await entryOf({ field, ...given })

    expect(entry).not.toHaveProperty('time')
    expect(entry.changes[0]).toMatchObject({ field, value: { ...metadata, ...value } })
  })
})

describe('messages', () => {
  test.each([...plainMessageTypes])('of type %s', async (type) => {
    const { contacts, messages } = await valueFor({ field: 'messages', type })

    expect(contacts).toEqual([{ profile: { name: 'Mara Quint' }, wa_id: '16505550143' }])
    expect(messages).toMatchObject([
      { from: '16505550143', id: expect.stringMatching(/^wamid\./), timestamp: seconds, type },
    ])
    expect(messages[0][type]).toEqual(expect.anything())
  })

  test.each(['button_reply', 'list_reply', 'nfm_reply', 'call_permission_reply'])(
    'of type interactive, %s',
    async (interactive) => {
      const { messages } = await valueFor({ field: 'messages', type: 'interactive', interactive })

      expect(messages[0].interactive).toMatchObject({
        type: interactive,
        [interactive]: expect.any(Object),
      })
      expect(messages[0].context).toMatchObject({ from: number.display_phone_number })
    },
  )

  test.each(['user_changed_number', 'user_changed_user_id', 'customer_identity_changed'])(
    'of type system, %s',
    async (system) => {
      const { messages } = await valueFor({ field: 'messages', type: 'system', system })

      expect(messages[0].system).toMatchObject({ type: system, body: expect.any(String) })
      // A person whose user id changed is not named in any other way.
      expect('from' in messages[0]).toBe(system !== 'user_changed_user_id')
    },
  )

  test.each([131051, 131052, 131060])('that are unsupported, with error %i', async (error_code) => {
    const { messages } = await valueFor({ field: 'messages', type: 'unsupported', error_code })

    expect(messages[0].errors).toMatchObject([{ code: error_code, title: expect.any(String) }])
  })

  test('without content, and of a type nobody knows yet', async () => {
    const welcome = await valueFor({ field: 'messages', type: 'request_welcome' })
    const future = await valueFor({ field: 'messages', type: 'hologram', content: { depth: 3 } })

    expect(Object.keys(welcome.messages[0]).sort()).toEqual(['from', 'id', 'timestamp', 'type'])
    expect(future.messages[0]).toMatchObject({ type: 'hologram', hologram: { depth: 3 } })
  })

  test('with a context or anything else of the caller', async () => {
    const message = { context: { forwarded: true }, group_id: 'Y2FwaV9ncm91cA' }

    expect((await valueFor({ field: 'messages', message })).messages[0]).toMatchObject(message)
  })

  test('from who shows only a user id', async () => {
    const customer = { user_id: 'ES.88210447365190027731', name: 'Inés', username: 'inesvidal' }

    const { contacts, messages } = await valueFor({ field: 'messages', customer })

    expect(contacts[0]).toEqual({
      profile: { name: 'Inés', username: 'inesvidal' },
      user_id: customer.user_id,
    })
    expect(messages[0]).toMatchObject({ from_user_id: customer.user_id })
    expect(messages[0]).not.toHaveProperty('from')
  })

  test.each([
    [{ status: 'read' }, { status: 'read', recipient_id: '16505550143' }],
    [{ status: 'deleted' }, { status: 'deleted' }],
    [
      { wamid: 'wamid.known', status: 'sent' },
      { id: 'wamid.known', pricing: { billable: false } },
    ],
    [{ error_code: 131047 }, { status: 'failed', errors: [{ code: 131047 }] }],
    [
      { status: 'sent', conversation: true },
      { conversation: { id: expect.any(String), expiration_timestamp: seconds } },
    ],
    [
      { status: 'read', content: { recipient_type: 'group', recipient_participant_id: '1650' } },
      { recipient_type: 'group', recipient_participant_id: '1650' },
    ],
  ])('as a status %j', async (given, status) => {
    const { statuses } = await valueFor({ field: 'messages', type: 'status', ...given })

    expect(statuses).toMatchObject([status])
  })

  test('as errors of the whole number', async () => {
    const value = await valueFor({ field: 'messages', type: 'errors' })

    expect(value).toMatchObject({
      metadata: number,
      errors: [{ code: 130429, href: expect.any(String) }],
    })
  })
})

describe('what the caller says', () => {
  test('goes over the defaults, key by key', async () => {
    const entry = await entryOf({
      field: 'account_alerts',
      entry_id: '77',
      value: { entity_id: '9', alert_info: { alert_severity: 'CRITICAL' }, extra: [1] },
    })

    expect(entry.id).toBe('77')
    expect(entry.changes[0].value).toMatchObject({
      entity_type: 'BUSINESS',
      entity_id: '9',
      alert_info: { alert_severity: 'CRITICAL', alert_status: 'ACTIVE' },
      extra: [1],
    })
  })

  test('can be a field that does not exist yet', async () => {
    const change = await changeOf({ field: 'quantum_presence_update', value: { foo: 'bar' } })

    expect(change).toEqual({ field: 'quantum_presence_update', value: { foo: 'bar' } })
  })

  test('can be an account instead of a number', async () => {
    const entry = await entryOf({
      field: 'security',
      phone_number_id: undefined,
      waba_id: clinic.waba_id,
    })

    expect(entry.id).toBe(clinic.waba_id)
    expect(entry.changes[0].value.display_phone_number).toBe('15550199844')
  })

  test.each([
    [{}, 400, /field/],
    [{ field: 'quantum_presence_update' }, 400, /field.*account_alerts/],
    [{ field: 'flows', phone_number_id: '999' }, 404, /999/],
    [{ field: 'flows', phone_number_id: undefined }, 400, /phone_number_id/],
    [
      { field: 'security', phone_number_id: undefined, waba_id: '1' },
      404,
      /waba_id: 1 has no registered number/,
    ],
    [{ field: 'calls', type: 'video' }, 400, /type/],
    [{ field: 'messages', type: 'system', system: 'moved' }, 400, /system/],
    [{ field: 'messages', type: 'interactive', interactive: 'x' }, 400, /interactive/],
    [{ field: 'flows', value: 7 }, 400, /value/],
    [{ field: 'flows', colour: 'red' }, 400, /colour/],
  ])('is checked: %j', async (event, status, message) => {
    const answer = await scene.call('POST', '/simulator/events', { phone_number_id, ...event })

    expect(answer).toMatchObject({
      status,
      body: { error: { message: expect.stringMatching(message) } },
    })
    expect(scene.receiver.received).toEqual([])
  })
})

test('the list of fields can be asked for', async () => {
  const { body } = await scene.call('GET', '/simulator/events')

  expect(body.fields).toEqual(
    expect.arrayContaining(['messages', 'account_update', 'user_id_update', 'standby']),
  )
})
