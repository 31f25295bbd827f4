// /{phone-number-id}: lookups, settings, registration.
import type { FastifyInstance } from 'fastify'
import type { NumberProfile } from '../numbers.ts'
import type { Clock } from '../time-and-chance.ts'
import { invalidParameter, missingParameter, refusal } from '../whatsapp-errors.ts'
import type { NumberAccess } from './access.ts'
import { readOverride } from './callback-override.ts'
import { GraphError, invalidRequest } from './errors.ts'
import { type Fields, isFields, selectFields, textIn } from './fields.ts'
import type { Graph } from './graph.ts'
import { manageNumber } from './management.ts'
import { paramsOf } from './request-body.ts'
import { versioned } from './versions.ts'

interface NumberRoute {
  Params: { version: string; phoneNumberId: string }
}

const hourMs = 60 * 60 * 1000
const registrationsIn72Hours = 10
const pinGuessesPerHour = 5

export function mountNumbers(app: FastifyInstance, graph: Graph): void {
  const path = `${versioned}/:phoneNumberId`

  app.post<NumberRoute>(`${path}/register`, async (request, reply) => {
    const managed = manageNumber(graph, request, reply, request.params.phoneNumberId)
    const params = paramsOf(request)
    requireProduct(params)
    register(managed.profile, readPin(params), graph.clock)
    return { success: true }
  })

  app.post<NumberRoute>(`${path}/deregister`, async (request, reply) => {
    const { profile } = manageNumber(graph, request, reply, request.params.phoneNumberId)
    if (profile.coexistence) {
      throw invalidRequest('A number in use with the WhatsApp Business app can’t be deregistered.')
    }
    if (!profile.registered) throw refusal(133010)
    countRegistration(profile, graph.clock)
    Object.assign(profile, { registered: false, status: 'DISCONNECTED' })
    return { success: true }
  })

  app.post<NumberRoute>(`${path}/smb_app_data`, async (request, reply) => {
    const { profile } = manageNumber(graph, request, reply, request.params.phoneNumberId)
    const params = paramsOf(request)
    requireProduct(params)
    synchronize(profile, textIn(params, 'sync_type'))
    const request_id = `sync_${request.params.phoneNumberId}_${profile.syncedTypes.size}`
    return { messaging_product: 'whatsapp', request_id }
  })
}

function requireProduct(params: Fields): void {
  if (textIn(params, 'messaging_product') !== 'whatsapp') {
    throw invalidRequest('The parameter messaging_product is required.')
  }
}

function readPin(params: Fields): string {
  const pin = textIn(params, 'pin')
  if (pin === undefined) throw missingParameter('pin')
  if (!/^\d{6}$/.test(pin)) throw invalidParameter('pin must be 6 digits.')
  return pin
}

function register(profile: NumberProfile, pin: string, clock: Clock): void {
  if (profile.code_verification_status !== 'VERIFIED') throw refusal(133006)
  countRegistration(profile, clock)
  checkPin(profile, pin, clock)
  Object.assign(profile, { registered: true, status: 'CONNECTED', pin })
}

function countRegistration(profile: NumberProfile, clock: Clock): void {
  const now = clock.now()
  profile.registrationsAt = within(profile.registrationsAt, 72, now)
  if (profile.registrationsAt.length >= registrationsIn72Hours) throw refusal(133016)
  profile.registrationsAt.push(now)
}

/** A number without two-step verification takes any pin, and has it from then on. */
function checkPin(profile: NumberProfile, pin: string, clock: Clock): void {
  if (profile.pin === null) return
  const now = clock.now()
  profile.wrongPinsAt = within(profile.wrongPinsAt, 1, now)
  const [first] = profile.wrongPinsAt
  if (first !== undefined && profile.wrongPinsAt.length >= pinGuessesPerHour) {
    const minutes = Math.ceil((first.getTime() + hourMs - now.getTime()) / 60_000)
    throw refusal(133008, `Too many two-step verification PIN guesses. Wait ${minutes} minutes.`)
  }
  if (pin === profile.pin) return
  profile.wrongPinsAt.push(now)
  throw refusal(133005)
}

function within(times: Date[], hours: number, now: Date): Date[] {
  return times.filter((at) => now.getTime() - at.getTime() < hours * hourMs)
}

/** Each kind of data of the phone app can be asked for once. */
function synchronize(profile: NumberProfile, type: string | undefined): void {
  if (type === undefined) throw missingParameter('sync_type')
  if (type !== 'smb_app_state_sync' && type !== 'history') {
    throw invalidParameter('sync_type must be "smb_app_state_sync" or "history".')
  }
  if (!profile.coexistence || profile.syncedTypes.has(type)) {
    throw new GraphError({
      status: 400,
      code: 2593107,
      message: '(#2593107) The synchronization was used up or is not possible for this number.',
    })
  }
  profile.syncedTypes.add(type)
}

/** POST /{phone-number-id}: the callback override, and the pin of two-step verification. */
export async function changeNumber(
  graph: Graph,
  { profile, number, account }: NumberAccess,
  params: Fields,
): Promise<void> {
  const { webhook_configuration: configuration } = params
  if (configuration === undefined && params.pin === undefined) {
    throw invalidRequest('One of webhook_configuration and pin is required.')
  }
  if (configuration !== undefined) {
    if (!isFields(configuration)) throw invalidRequest('webhook_configuration must be an object.')
    profile.override = await readOverride(graph, configuration)
  }
  if (params.pin === undefined) return
  profile.pin = readPin(params)
  graph.access().business.announce({
    field: 'security',
    wabaId: account.waba_id,
    phoneNumberId: number.phone_number_id,
    value: {
      display_phone_number: number.display_phone_number.replace(/\D/g, ''),
      event: 'PIN_CHANGED',
    },
  })
}

const defaultFields = [
  'verified_name',
  'code_verification_status',
  'display_phone_number',
  'quality_rating',
  'platform_type',
  'throughput',
  'webhook_configuration',
]

export function describeNumber(graph: Graph, managed: NumberAccess, asked: unknown): Fields {
  const { profile, number } = managed
  const all: Fields = {
    id: number.phone_number_id,
    verified_name: profile.verified_name,
    code_verification_status: profile.code_verification_status,
    display_phone_number: formatted(number.display_phone_number),
    quality_rating: profile.quality_rating,
    platform_type: profile.registered ? 'CLOUD_API' : 'NOT_APPLICABLE',
    throughput: { level: profile.throughput },
    webhook_configuration: webhookConfiguration(graph, managed),
    status: profile.status,
    name_status: profile.name_status,
    new_name_status: 'NONE',
    whatsapp_business_manager_messaging_limit: profile.messaging_limit,
    messaging_limit_tier: profile.messaging_limit,
    is_official_business_account: false,
    is_on_biz_app: profile.coexistence,
    is_pin_enabled: profile.pin !== null,
    account_mode: profile.test_number ? 'SANDBOX' : 'LIVE',
    health_status: healthStatus(graph, managed),
  }
  return selectFields('WhatsAppBusinessPhoneNumber', all, defaultFields, asked)
}

/** Digits alone in webhooks, readable here. */
function formatted(displayNumber: string): string {
  if (/\D/.test(displayNumber)) return displayNumber
  const american = /^1(\d{3})(\d{3})(\d{4})$/.exec(displayNumber)
  return american ? `+1 ${american[1]}-${american[2]}-${american[3]}` : `+${displayNumber}`
}

function webhookConfiguration(graph: Graph, { profile, account }: NumberAccess): Fields {
  const { business } = graph.access()
  const ofAccount = account.subscriptions.get(business.apps.own().app_id)
  return {
    phone_number: profile.override?.override_callback_uri,
    whatsapp_business_account: ofAccount?.override_callback_uri,
    application: graph.simulation.webhook().url ?? undefined,
  }
}

function healthStatus(graph: Graph, { profile, number, account }: NumberAccess): Fields {
  const ofNumber = profile.registered && profile.status === 'CONNECTED' ? 'AVAILABLE' : 'BLOCKED'
  const ofAccount = account.standing === 'good' ? 'AVAILABLE' : 'BLOCKED'
  const isVerified = account.business_verification_status === 'verified'
  const entities = [
    { entity_type: 'PHONE_NUMBER', id: number.phone_number_id, can_send_message: ofNumber },
    { entity_type: 'WABA', id: account.waba_id, can_send_message: ofAccount },
    {
      entity_type: 'BUSINESS',
      id: account.business_id,
      can_send_message: isVerified ? 'AVAILABLE' : 'LIMITED',
      ...(isVerified ? {} : { additional_info: ['Business not verified'] }),
    },
    {
      entity_type: 'APP',
      id: graph.access().business.apps.own().app_id,
      can_send_message: 'AVAILABLE',
    },
  ]
  const states = entities.map((entity) => entity.can_send_message)
  const worst = ['BLOCKED', 'LIMITED', 'AVAILABLE'].find((state) => states.includes(state))
  return { can_send_message: worst, entities }
}
