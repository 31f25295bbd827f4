// What must be known before a message is accepted: the tenant, its number, the contact's window, and whether the same key
// was accepted before. Calls that arrive together share one look: a transaction each would queue for connections.
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { createMicroBatch } from '../micro-batch.ts'
import { type FoundTemplate, findTemplates } from '../templates/for-sends.ts'
import type { Clock } from '../time-and-chance.ts'
import { type SendRequest, templateIn } from './message.ts'
import { type KeyedSend, type SendPlace, selectKeys, selectPlaces } from './queries.ts'

export interface Question {
  tenantId: string
  request: SendRequest
  key: Pick<KeyedSend, 'tenantId' | 'key' | 'requestSha256'> | null
}

export interface Found {
  /** What the same key was accepted as. */
  earlier: KeyedSend | undefined
  /** The numbers it could go out from: none, the one, or two where one had to be named. */
  places: SendPlace[]
  /** What the mirror knows of the template that it is, or falls back to. */
  template: FoundTemplate | undefined
}

export const idempotencyMs = 48 * 60 * 60 * 1000

export function createLookUp(db: Db, clock: Clock): (question: Question) => Promise<Found> {
  const batch = createMicroBatch<Question, Found>({
    clock,
    maxInFlight: 2,
    fewItems: 16,
    patienceMs: 25,
    maxItems: 200,
    weigh: () => 1,
    maxWeight: 200,
    maxWaitingItems: 10_000,
    maxWaitingWeight: 10_000,
    deadlineMs: 10_000,
    run: async (questions) => {
      const since = new Date(clock.now().getTime() - idempotencyMs)
      const keys = questions.flatMap((question) => question.key ?? [])
      const known = keys.length > 0 ? await selectKeys(db, keys, since) : []
      const byKey = new Map(known.map((row) => [`${row.tenantId} ${row.key}`, row]))
      const places = await selectPlaces(db, questions.map(placeAsked))
      const templates = await findNamed(db, questions)
      return questions.map(({ tenantId, key }, index) => ({
        value: {
          earlier: key ? byKey.get(`${tenantId} ${key.key}`) : undefined,
          places: places.filter((place) => place.asked === index),
          template: templates.get(index),
        },
      }))
    },
  })
  return batch.submit
}

function placeAsked({ tenantId, request }: Question) {
  return {
    tenantId,
    phoneNumberId: request.phone_number_id ?? null,
    waId: request.to ?? null,
    userId: request.to === undefined ? (request.recipient ?? null) : null,
    template: request.type === 'template' ? request.template : request.fallback_template,
  }
}

/** By the question that names it. */
async function findNamed(db: Db, questions: Question[]): Promise<Map<number, FoundTemplate>> {
  const asked = questions.flatMap(({ tenantId, request }, index) => {
    const named = templateIn(request)
    const phoneNumberId = request.phone_number_id ?? null
    return named
      ? [{ index, tenantId, phoneNumberId, name: named.name, language: named.language.code }]
      : []
  })
  const found = await findTemplates(db, asked)
  return new Map(found.map((one) => [asked[one.asked]?.index ?? -1, one]))
}

/** The one number it goes out from. */
export function choosePlace([place, another]: SendPlace[]): SendPlace {
  if (place?.tenant_status === 'suspended') {
    throw new AppError('TENANT_SUSPENDED', 403, 'This tenant is suspended: nothing is sent for it.')
  }
  if (!place || place.account_id === null) {
    throw notFound('ACCOUNT_NOT_FOUND', 'number: phone_number_id is not one of yours')
  }
  if (another) {
    const problem = 'name it: you have more than one number'
    throw new AppError('INVALID_MESSAGE', 400, `phone_number_id: ${problem}`, {
      details: { fields: [{ field: 'phone_number_id', problem }] },
    })
  }
  return place
}
