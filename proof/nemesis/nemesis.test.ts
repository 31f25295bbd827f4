// Seconds of the nemesis, by a seed: what `npm run test:nemesis` does for as long as asked. And what it judges by: each check
// must find what it is there for.
import { type AddressInfo, connect, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { AcceptedSend } from '../../simulator/ledger.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { seed } from '../../test/support/chance.ts'
import { checkDeaths } from '../checks/deaths.ts'
import { checkDoubles, type TimedAttempt } from '../checks/doubles.ts'
import type { Evidence } from '../checks/evidence.ts'
import type { Span } from '../checks/span.ts'
import { checkOutput, checkOwners } from '../checks/strangers.ts'
import { type FaultRun, faultKinds } from './faults.ts'
import { inAHurry } from './hurry.ts'
import { neverMeasured } from './measure.ts'
import { usualOptions } from './options.ts'
import { isAsked } from './processes.ts'
import { startShakyNetwork } from './proxy.ts'
import { kindsOf, runNemesis } from './run.ts'
import { torment } from './torment.ts'
import { checkLetters, throughOf } from './verdict.ts'

/** Of each origin one: a process, the database, Meta, its webhooks. */
const faults = [
  'kill worker',
  'kill gateway',
  'postgres immediate',
  'answers of the database lost',
  'ambiguous sends',
  'messages that fail later',
  'webhooks in every wrong way',
  'die at a crash point',
]

test(`seconds of everything: every invariant holds (SEED=${seed})`, async () => {
  const said: string[] = []
  const report = await runNemesis({
    ...usualOptions,
    ...{ seed, faults, minutes: 5 / 60, reconcileSeconds: 1, edits: inAHurry },
    ...{ breath: [0.2, 0.5], most: 2, scale: 0.3 },
    ...{ webhooksPerSecond: 6, sendsPerSecond: 4, customersPerFirm: 5 },
    say: (line) => said.push(line),
  })
  expect(report.violations, said.join('\n')).toEqual([])
  expect(report.counts.webhooks_acknowledged).toBeGreaterThan(0)
  expect(report.counts.acceptances).toBeGreaterThan(0)
  expect(Object.values(report.faults).some((count) => count > 0)).toBe(true)
  // It waits for everything to end, with more patience than usual.
}, 900_000)

test('what ends in the network leaves what else is on', async () => {
  const echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket))
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  afterFile(async () => void echo.close())
  const network = await startShakyNetwork((echo.address() as AddressInfo).port, () => 0)
  const begin = (name: string) => {
    const run = { place: { network }, dice: () => 0 } as unknown as FaultRun
    return faultKinds.find((kind) => kind.name === name)?.begin(run)
  }
  /** What comes back, or nothing where the connection is reset. */
  const say = (word: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(network.port, '127.0.0.1', () => socket.write(word))
      socket.on('error', () => undefined)
      socket.once('data', (data) => resolve(socket.destroy() && String(data)))
      socket.once('close', () => resolve(''))
    })
  const healReset = await begin('connections reset')
  const healDistance = await begin('database far away')
  await healDistance?.()
  expect(await say('hello')).toBe('')
  await healReset?.()
  expect(await say('hello')).toBe('hello')
})

const attemptIds = [1, 2, 3].map((count) => `00000000-0000-4000-8000-00000000000${count}`)
const messageId = '00000000-0000-4000-8000-0000000000aa'
const terms = { reconcileSeconds: 15, outages: [] }

const attempt = (place: number, more: Partial<TimedAttempt> = {}): TimedAttempt => ({
  ...{ id: attemptIds[place] ?? '', messageId, tenantId: 'firm', delivery: 'at_least_once' },
  ...{ outcome: 'unknown', failures: 0, startedMs: place * 60_000 },
  ...{ endedMs: place * 60_000 + 500, writtenMs: place * 60_000 + 500 },
  ...more,
})

const callback = (place: number) => `est:${attemptIds[place]}`
const send = (place: number) =>
  ({ wamid: `wamid.${place}`, biz_opaque_callback_data: callback(place) }) as AcceptedSend

/** Two acceptances of one message, with a good excuse. */
function doubled(isDuplicateConfirmed = true) {
  const ledger = {
    ...{ sends: [send(0), send(1)], requests: [], deliveries: [] as unknown[] },
  } as unknown as Evidence['ledger']
  const messages = [{ id: messageId, isDuplicateConfirmed }]
  const rows = { messages, attempts: [] as unknown[] } as Evidence['rows']
  return { ledger, rows }
}

describe('a double', () => {
  const attempts = [attempt(0), attempt(1, { outcome: 'accepted' })]

  test('is excused where nothing told of the first in time', () => {
    const found = checkDoubles(doubled(), { attempts, heard: [] }, terms)
    expect(found.violations).toEqual([])
    expect(found.excused).toHaveLength(1)
  })

  test.each([
    [
      'a status had told of it',
      attempts,
      [{ wamid: 'wamid.0', atMs: 59_000 }],
      'a status had told',
    ],
    [
      'the answer had been heard',
      [attempt(0, { outcome: 'accepted' }), attempt(1)],
      [],
      'the first answer had been heard',
    ],
    ['nobody waited', [attempt(0), attempt(1, { startedMs: 9_000 })], [], 'were waited'],
    [
      'it was to be sent at most once',
      [attempt(0, { delivery: 'at_most_once' }), attempt(1)],
      [],
      'at most once',
    ],
  ] as const)('is none where %s', (_name, attempts, heard, word) => {
    const timing = { attempts: [...attempts], heard: [...heard] }
    const found = checkDoubles(doubled(), timing, terms)
    expect(found.violations).toEqual([expect.stringContaining(word)])
    expect(found.excused).toEqual([])
  })

  const statusTaken = (seconds: number, faults: string[] = []) => ({
    items: [{ kind: 'status', wamid: 'wamid.0' }],
    faults,
    attempts: [
      { at: new Date(seconds * 1000).toISOString(), duration_ms: 0, response_status: 200 },
    ],
  })

  test.each([
    ['long before', statusTaken(50), 1],
    ['a moment before', statusTaken(56), 0],
    ['long before, but could not be read', statusTaken(50, ['malformed_1']), 0],
  ])('is none where a status of the first was acknowledged %s', (_when, delivery, violations) => {
    const evidence = doubled()
    evidence.ledger.deliveries.push(delivery as never)
    const found = checkDoubles(evidence, { attempts, heard: [] }, terms)
    expect(found.violations).toHaveLength(violations)
    if (violations > 0) expect(found.violations[0]).toContain('been acknowledged 10.0 s before')
  })

  test('is none where the first of three had been heard of', () => {
    const evidence = doubled()
    evidence.ledger.sends.push(send(2))
    const timing = { attempts: [...attempts, attempt(2)], heard: [] }
    timing.attempts[1] = attempt(1)
    expect(checkDoubles(evidence, timing, terms)).toMatchObject({
      violations: [],
      excused: { length: 2 },
    })
    const heard = [{ wamid: 'wamid.0', atMs: 90_000 }]
    expect(checkDoubles(evidence, { ...timing, heard }, terms).violations).toEqual([
      expect.stringContaining('wamid.0 and wamid.2: a status had told'),
    ])
  })

  test('is none of ours where Meta gave up the first, and no excuse is needed', () => {
    const evidence = doubled(false)
    const heard = [attempt(0, { outcome: 'accepted' }), attempt(1)]
    const again = () => checkDoubles(evidence, { attempts: heard, heard: [] }, terms)
    expect(again().violations).toHaveLength(1)
    const failure = { items: [{ kind: 'status', wamid: 'wamid.0', status: 'failed' }] }
    evidence.ledger.deliveries.push({ ...failure, faults: [], attempts: [] } as never)
    expect(again()).toEqual({ violations: [], excused: [] })
  })

  test('is none where no attempt of ours made it', () => {
    const found = checkDoubles(doubled(), { attempts: [attempt(0)], heard: [] }, terms)
    expect(found.violations).toEqual(['I4: no attempt of ours made wamid.1'])
  })

  describe('whose first was answered whole', () => {
    const answered = (more: object = {}) => ({
      ...{ wamid: 'wamid.0', outcome: 'answered', status: 200, faults: [] },
      ...{ arrived_at: new Date(100).toISOString(), answered_at: new Date(200).toISOString() },
      ...more,
    })
    const judged = (request: object, outages: Span[] = [], isDead = false) => {
      const evidence = doubled()
      evidence.ledger.requests.push(request as never)
      evidence.rows.attempts.push({ id: attemptIds[0], isDead } as never)
      return checkDoubles(evidence, { attempts, heard: [] }, { ...terms, outages }).violations
    }

    test('is none', () => {
      expect(judged(answered())).toEqual([expect.stringContaining('was answered whole')])
      const elsewhen = [{ fromMs: 30_000, toMs: 40_000 }]
      expect(judged(answered(), elsewhen)).toHaveLength(1)
    })

    test.each([
      ['a fault was on it', answered({ faults: ['truncate_1'] }), [], false],
      ['it was cut off', answered({ outcome: 'cut' }), [], false],
      ['its answer took long', answered({ answered_at: new Date(3_000).toISOString() }), [], false],
      ['its sender stood still', answered(), [{ fromMs: 150, toMs: 20_000 }], false],
      ['its sender died', answered(), [], true],
    ] as const)('is excused where %s', (_why, request, outages, isDead) => {
      expect(judged(request, [...outages], isDead)).toEqual([])
    })
  })

  test('is none where the product does not say so', () => {
    const found = checkDoubles(doubled(false), { attempts, heard: [] }, terms)
    expect(found.violations).toEqual([expect.stringContaining('nobody was told')])
  })
})

describe('a death', () => {
  const posted = (status: number) => ({
    ...{ body: { biz_opaque_callback_data: callback(0) }, outcome: 'answered', status },
  })
  const ledgerOf = (ledger: object) =>
    ({ requests: [], sends: [], deliveries: [], ...ledger }) as unknown as Evidence['ledger']
  const diedAt = (ledger: object, letter: object, more: Partial<TimedAttempt>) =>
    checkDeaths(
      {
        ledger: ledgerOf(ledger),
        rows: { messages: [], letters: [{ messageId, ...letter }] } as unknown as Evidence['rows'],
      },
      { attempts: [attempt(0, more)], heard: [] },
    )
  const died = (kind: string, more: Partial<TimedAttempt>, ...statuses: number[]) =>
    diedAt({ requests: statuses.map(posted) }, { kind }, more)

  test.each([
    ['a refusal', 'outbound', { outcome: 'permanent' }, [400]],
    ['spent attempts', 'outbound', { outcome: 'transient', failures: 8 }, [503]],
    ['an unheard answer', 'unknown', { delivery: 'at_most_once', failures: 1 }, []],
    ['an unheard answer after spent attempts', 'unknown', { failures: 8 }, []],
  ] as const)('has its reason in %s', (_name, kind, more, statuses) => {
    expect(died(kind, more, ...statuses)).toEqual([])
  })

  test.each([
    ['Meta only asked to wait', 'outbound', { outcome: 'rate_limited', failures: 3 }, [429, 503]],
    ['it may be sent again', 'unknown', { failures: 1 }, []],
    ['the answer was heard', 'unknown', { outcome: 'transient', delivery: 'at_most_once' }, [503]],
  ] as const)('has none where %s', (_name, kind, more, statuses) => {
    expect(died(kind, more, ...statuses)).toEqual([expect.stringContaining('without a reason')])
  })

  test('has its reason in what Meta told after it had accepted', () => {
    const told = (status: string) => ({
      sends: [send(0)],
      deliveries: [{ items: [{ kind: 'status', wamid: 'wamid.0', status }] }],
    })
    const outcome = { outcome: 'accepted' }
    expect(diedAt(told('failed'), { kind: 'outbound' }, outcome)).toEqual([])
    expect(diedAt(told('read'), { kind: 'outbound' }, outcome)).toHaveLength(1)
  })

  test('is none that nobody asked for', () => {
    const rows = { letters: [], messages: [{ id: messageId, status: 'cancelled' }] }
    expect(
      checkDeaths({ ledger: ledgerOf({}), rows } as unknown as Evidence, {
        attempts: [],
        heard: [],
      }),
    ).toEqual([expect.stringContaining('is cancelled')])
  })
})

describe('what else a run is held against', () => {
  const said = { firm: 0, from: '16505550101', text: 'hello' }

  test('rows and events are with their own tenants', () => {
    const numbers = new Map([
      ['7', 'a'],
      ['8', 'b'],
    ])
    const row = { wamid: 'wamid.1', tenantId: 'a', phoneNumberId: '7' }
    const told = { heardBy: 'a', tenantId: 'a', phoneNumberId: '7' }
    const message = { wamid: 'wamid.1', phoneNumberId: '7', ...said }
    const through = throughOf(
      { written: [message], ownDeliveries: [] },
      { sends: [], deliveries: [] },
    )
    const owners = { rows: [], told: [], numbers, through }
    expect(checkOwners({ ...owners, rows: [row], told: [told] })).toEqual([])
    const strange = { ...row, tenantId: 'b' }
    expect(checkOwners({ ...owners, rows: [strange] })).toHaveLength(1)
    expect(checkOwners({ ...owners, rows: [row, { ...row }] })).toHaveLength(1)
    expect(checkOwners({ ...owners, told: [{ ...told, heardBy: 'b' }] })).toHaveLength(1)
    expect(checkOwners({ ...owners, told: [{ ...told, phoneNumberId: '8' }] })).toHaveLength(1)
    // Number and tenant fit each other, and are both the wrong ones.
    const misfiled = { ...strange, phoneNumberId: '8' }
    expect(checkOwners({ ...owners, rows: [misfiled] })).toEqual([
      'I6: wamid.1 is with 8, and came through 7',
    ])
  })

  test('all who know say which number a message came through', () => {
    const log = {
      written: [{ wamid: 'a', phoneNumberId: '1', ...said }],
      ownDeliveries: [
        { deliveryId: 'd', messages: [{ wamid: 'b', phoneNumberId: '2', ...said }], poison: [] },
      ],
    }
    const ledger = {
      sends: [{ wamid: 'c', phone_number_id: '3' }],
      deliveries: [{ items: [{ wamid: 'd', phone_number_id: '4' }] }],
    } as Evidence['ledger']
    expect(Object.fromEntries(throughOf(log, ledger))).toEqual({ a: '1', b: '2', c: '3', d: '4' })
  })

  test('nobody says what is nobody’s business', () => {
    const canaries = [{ what: 'token', text: 'kanarie0123456789abcdef' }]
    expect(checkOutput(canaries, 'Estafet listens\n')).toEqual([])
    expect(checkOutput(canaries, `with ${canaries[0]?.text}\n`).length).toBeGreaterThan(0)
    expect(checkOutput(canaries, '{"event":"unhandled_rejection"}\n').length).toBeGreaterThan(0)
  })

  test('what cannot be applied is one dead letter, and what can is none', () => {
    const log = { ownDeliveries: [{ deliveryId: 'd', messages: [], poison: ['poison-1-2-3'] }] }
    const ledger = { deliveries: [{ id: 'd', state: 'delivered' }] } as Evidence['ledger']
    const lettersOf = (...letters: Partial<Evidence['rows']['letters'][number]>[]) =>
      checkLetters({ rows: { letters } as Evidence['rows'] }, log, ledger)
    const letter = { id: 'dlq', kind: 'malformed', state: 'open', raw: 'poison-1-2-3' }
    expect(lettersOf(letter)).toEqual([])
    expect(lettersOf(letter, { ...letter, state: 'requeued' })).toEqual([])
    expect(lettersOf()).toEqual([expect.stringContaining('0 dead letters')])
    expect(lettersOf(letter, letter)).toEqual([expect.stringContaining('2 dead letters')])
    expect(lettersOf(letter, { ...letter, kind: 'inbound', raw: '' })).toHaveLength(1)
  })

  test.each([
    ['with 0, and nobody asked it to', [], 0, null, false],
    ['with 0, as it was told to', ['SIGTERM'], 0, null, true],
    ['with 1, when it was told to end well', ['SIGTERM'], 1, null, false],
    ['by a SIGKILL of ours', ['SIGKILL'], null, 'SIGKILL', true],
    ['by a SIGKILL of somebody else', ['SIGTERM'], null, 'SIGKILL', false],
  ] as const)(
    'whether it was asked for that a process ended %s',
    (_how, sent, code, signal, is) => {
      expect(isAsked(new Set(sent), code, signal)).toBe(is)
    },
  )

  test('kinds of faults are known by their names, and others are refused', () => {
    expect(kindsOf(['kill worker']).map(({ name }) => name)).toEqual(['kill worker'])
    expect(kindsOf()).toHaveLength(faultKinds.length)
    expect(() => kindsOf(['kill worker', 'kill wroker'])).toThrow('no fault "kill wroker"')
  })

  test('a fault that does not begin is told', async () => {
    const begin = () => Promise.reject(new Error('nobody there'))
    const kind = { name: 'kill', group: 'kill', lasts: [0, 0] as [number, number], begin }
    const run = { dice: () => 0 } as unknown as FaultRun
    const terms = { forMs: 1, breath: [0, 0] as [number, number], most: 1, scale: 1 }
    const { counts, failures } = await torment(run, { ...terms, kinds: [kind], say: () => {} })
    expect(counts).toEqual({ kill: 0 })
    expect(failures).toContain('kill did not begin: nobody there')
  })

  test('what was never measured is told', () => {
    const one = (name: string, ...values: number[]) =>
      [name, { name, unit: 'MB', samples: values.map((value) => ({ hours: 0, value })) }] as const
    const [memory, size] = [one('memory of worker-1', 1), one('size of events', 1)]
    const missing = (...series: (typeof memory)[]) =>
      neverMeasured(new Map(series), [{ name: 'worker-1' }])
    expect(missing(memory, size, one('time of a claim', 1))).toEqual([])
    expect(missing(memory, size)).toEqual(['it was never measured: time of a claim'])
    expect(missing(one('memory of worker-1'), size, one('time of a claim', 1))).toHaveLength(1)
  })
})
