// The short part of `npm run test:fuzz`: every route of the OpenAPI document, over HTTP, against the built program.
import { beforeAll, describe, expect, test } from 'vitest'
import { seed } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { resource } from '../../test/support/resources.ts'
import type { FuzzAnswer } from './http.ts'
import type { RouteCase, RoutesPlace } from './model.ts'
import { createOracle } from './oracle.ts'
import { openForRoutes } from './place.ts'
import { consuming, credentialsOf, missedOf, routesKind, targetsOf } from './routes.ts'
import { missedBy, runKind, type StallOptions, toldOf } from './run.ts'

let place: RoutesPlace
/** In time on the processor: however much else the machine has to do. */
let stall: StallOptions

beforeAll(async () => {
  const database = await createTestDb()
  const opened = await openForRoutes({
    database,
    program: (await resource('programs')).program,
    checkOneIn: 1,
  })
  place = opened
  stall = { limitMs: 1_000, take: opened.gateway.takeStall }
})

test(`1 500 requests: each is answered as documented, with nothing of another firm (SEED=${seed})`, async () => {
  const kind = routesKind(place)
  const result = await runKind(kind, { seed, cases: { count: 1_500 }, stall })

  expect(toldOf(result)).toEqual([])
  // Every route was asked, and most did what they were asked.
  expect(missedBy(kind, result)).toEqual([])
})

test('a run that never comes by a route, or is refused by too many, has missed something', () => {
  const of = (...digits: number[]) => new Set(digits)
  const nine = [...Array(9).keys()].map((one): [string, Set<number>] => [`GET /${one}`, of(2, 4)])

  expect(missedOf(new Map([...nine, ['GET /9', of(4)]]), 1_500)).toEqual([])
  expect(missedOf(new Map([...nine, ['GET /9', of()]]), 1_500)).toEqual(['GET /9 was never asked'])
  expect(missedOf(new Map([...nine, ['GET /9', of()]]), 100)).toEqual([])
  const refused = new Map([...nine.slice(0, 2), ['GET /9', of(4)]] as [string, Set<number>][])
  expect(missedOf(refused, 1_500)).toEqual(['1 of 3 routes never did what they were asked: GET /9'])
})

test('lists are asked to go on where they ended', () => {
  const cursors = Object.keys(place.firms.A.ids).filter((name) => name.startsWith('next of '))
  expect(cursors.length).toBeGreaterThan(5)
})

test('what is put back is all that was taken: the firms can still call', async () => {
  for (const as of ['A', 'B', 'person of A', 'person of B']) {
    const headers = credentialsOf(place, as)
    const { status } = await place.ask({
      method: 'GET',
      path: '/api/whatsapp/conversations',
      headers,
    })
    expect(status).toBe(200)
  }
})

test('every route that takes something away is one of the document', () => {
  const names = targetsOf(place).map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(Object.keys(consuming)))
})

describe('the oracle', () => {
  const list: RouteCase = {
    route: 'GET /api/whatsapp/conversations',
    as: 'A',
    method: 'GET',
    path: '/api/whatsapp/conversations',
    headers: {},
  }
  const judged = (answer: Partial<FuzzAnswer>, one: RouteCase = list) => {
    const judge = createOracle(place, targetsOf(place))
    const headers = new Headers({ 'content-type': 'application/json', 'x-request-id': 'r' })
    const json = answer.json ?? { data: [], paging: { next: null } }
    return judge(one, one, { status: 200, headers, text: JSON.stringify(json), json, ...answer })
  }
  const error = {
    error: { code: 'NOT_FOUND', message: 'There is no such thing.', details: {}, request_id: 'r' },
  }

  test('lets a good answer and a good refusal pass', () => {
    expect(judged({})).toBeUndefined()
    expect(judged({ status: 404, json: error })).toBeUndefined()
  })

  test('tells of a failure, of a status that nobody documented, and of another form', () => {
    expect(judged({ status: 500, json: error })).toContain('answered 500')
    expect(judged({ status: 299 })).toContain('not documented')
    expect(judged({ json: { data: [{ id: 1 }], paging: { next: null } } })).toContain(
      'another form',
    )
    expect(judged({ status: 404, json: { message: 'no' } })).toContain('another form')
    expect(judged({ json: { data: [], paging: { next: null }, more: 1 } })).toContain(
      'another form',
    )
  })

  test('tells of anything of another firm, unless the caller named it', () => {
    const mark = place.firms.B.ids.conversations ?? ''
    const json = { error: { ...error.error, message: `There is no ${mark}.` } }
    expect(judged({ status: 404, json })).toContain('another firm')
    expect(judged({ status: 404, json }, { ...list, as: 'nobody' })).toContain('another firm')
    expect(judged({ status: 404, json }, { ...list, as: 'B' })).toBeUndefined()
    expect(judged({ status: 404, json }, { ...list, path: `${list.path}/${mark}` })).toBeUndefined()
  })
})
