import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClock, type TestClock } from '../../test/support/clock.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { connect, type Db, sql } from '../db/connect.ts'
import { createLog } from '../log.ts'
import { systemRandom } from '../time-and-chance.ts'
import { createEvaluator } from './evaluate.ts'
import type { AlertRule, Finding } from './model.ts'
import { noteSignals } from './signal.ts'

let db: Db
let databaseUrl: string
let clock: TestClock
/** What the rule finds from now on; an error is thrown. */
let found: (Partial<Finding> | Error)[]
let logged: string

beforeAll(async () => {
  ;({ db, url: databaseUrl } = await createTestDb())
})

beforeEach(async () => {
  clock = createTestClock()
  found = []
  logged = ''
  await db.query(sql`delete from alerts`)
  await db.query(sql`delete from alert_channels`)
  await db.query(sql`delete from alert_signals`)
  await db.query(
    sql`update alert_evaluator set evaluated_at = '-infinity', leased_until = '-infinity'`,
  )
})

function ruleThat(find: AlertRule['find'], more: Partial<AlertRule> = {}): AlertRule {
  return {
    name: 'some_rule',
    scope: 'tenant',
    severity: 'error',
    fires: '',
    resolves: '',
    quietSeconds: 0,
    act: '/console/overview',
    find,
    ...more,
  }
}

const findings: AlertRule['find'] = async ({ now }) =>
  found.map((one) => {
    if (one instanceof Error) throw one
    return { tenantId: null, subject: '', since: now, count: 1, summary: 'Something.', ...one }
  })

function evaluator(rules = [ruleThat(findings)], more: { db?: Db; repeatMinutes?: number } = {}) {
  const destination = {
    write: (line: string) => {
      logged += line
    },
  }
  return createEvaluator({
    db,
    clock,
    random: systemRandom(clock),
    log: createLog({ level: 'debug', hashKey: Buffer.alloc(32), clock, destination }),
    limits: {
      deadLetters: 10,
      tokenWarningDays: 7,
      backlogSeconds: 300,
      backlogWaitingSeconds: 3600,
    },
    repeatMinutes: 0,
    environmentChannels: [],
    onNotified: () => undefined,
    rules,
    ...more,
  })
}

async function look(rules?: AlertRule[], more = {}) {
  clock.advance(15_000)
  return evaluator(rules, more).evaluateDue()
}

async function addChannel(tenantId: string | null): Promise<string> {
  const [row] = await db.query(sql<{ id: string }>`
    insert into alert_channels (id, tenant_id, kind, target, hint, created_at)
    values (gen_random_uuid(), ${tenantId}, 'slack', 'sealed', '…', now())
    returning id`)
  return row?.id ?? ''
}

const told = async () =>
  (
    await db.query(sql<{ line: string }>`
      select event || ' ' || (message ->> 'summary') as line from alert_notifications order by position`)
  ).map(({ line }) => line)

const toldAt = async (channelId: string) =>
  (
    await db.query(sql<{ event: string }>`
      select event from alert_notifications where channel_id = ${channelId} order by position`)
  ).map(({ event }) => event)

describe('an evaluation', () => {
  test('is made by one of many who try at once, also from other connections', async () => {
    await addChannel(null)
    found = [{}]
    const others = Array.from({ length: 4 }, () =>
      connect({ url: databaseUrl, name: 'other', poolSize: 1, queryTimeoutMs: 10_000 }),
    )
    clock.advance(15_000)
    const results = await Promise.all(
      [db, ...others].map((one) => evaluator(undefined, { db: one }).evaluateDue()),
    )
    await Promise.all(others.map((one) => one.close()))

    expect(results.filter((one) => one !== undefined)).toEqual([
      { fired: 1, resolved: 0, repeated: 0 },
    ])
    expect(await told()).toEqual(['fired Something.'])
  })

  test('is not due again at once', async () => {
    expect(await look()).toBeDefined()
    expect(await evaluator().evaluateDue()).toBeUndefined()
    clock.advance(14_000)
    expect(await evaluator().evaluateDue()).toBeUndefined()
    clock.advance(1_000)
    expect(await evaluator().evaluateDue()).toBeDefined()
  })

  test('of a process that died is made up for by another, and what the dead one found later counts for nothing', async () => {
    await addChannel(null)
    let goOn = () => {}
    const slow = ruleThat(async (look) => {
      const all = await findings(look)
      await new Promise<void>((resolve) => {
        goOn = resolve
        reached()
      })
      return all
    })
    let reached = () => {}
    const isSlow = new Promise<void>((resolve) => {
      reached = resolve
    })
    found = [{ summary: 'Found by the slow one.' }]
    const first = look([slow])
    await isSlow
    found = []
    clock.advance(30_000)
    expect(await evaluator().evaluateDue()).toBeUndefined()
    clock.advance(30_000)
    expect(await evaluator().evaluateDue()).toEqual({ fired: 0, resolved: 0, repeated: 0 })
    goOn()

    expect(await first).toBeUndefined()
    expect(await told()).toEqual([])
  })

  test('goes on after a clock was set back by a day', async () => {
    expect(await look()).toBeDefined()
    clock.jump(-24 * 3_600_000)
    expect(await evaluator().evaluateDue()).toBeDefined()
  })

  test('without one rule, which fails, is still one of the others; nothing of the failing one changes', async () => {
    await addChannel(null)
    const other = ruleThat(
      async ({ now }) => [
        { tenantId: null, subject: '', since: now, count: 1, summary: 'Another.' },
      ],
      { name: 'another_rule' },
    )
    found = [{}]
    await look()
    found = [new Error('out of order')]
    expect(await look([ruleThat(findings), other])).toEqual({ fired: 1, resolved: 0, repeated: 0 })
    expect(await told()).toEqual(['fired Something.', 'fired Another.'])
    expect(logged).toContain('alert_rule_failed')
  })
})

describe('an alert', () => {
  test('is told once when it begins and once when it is over, and then begins anew', async () => {
    await addChannel(null)
    for (const present of [true, true, true, false, false, true]) {
      found = present ? [{}] : []
      await look()
    }
    expect(await told()).toEqual(['fired Something.', 'resolved Something.', 'fired Something.'])
    const alerts = await db.query(sql`select state from alerts order by fired_at`)
    expect(alerts).toEqual([{ state: 'resolved' }, { state: 'firing' }])
  })

  test('is over when it has been for a while, not when it flaps', async () => {
    await addChannel(null)
    const rule = ruleThat(findings, { quietSeconds: 60 })
    for (const present of [true, false, false, true, false, false, false]) {
      found = present ? [{}] : []
      await look([rule])
    }
    expect(await told()).toEqual(['fired Something.'])
    await look([rule])
    await look([rule])
    expect(await told()).toEqual(['fired Something.', 'resolved Something.'])
  })

  test('does not begin with what lingers, and does not end with it', async () => {
    await addChannel(null)
    found = [{ isLingering: true }]
    await look()
    expect(await told()).toEqual([])
    found = [{}]
    await look()
    found = [{ isLingering: true, summary: 'Less.' }]
    await look()
    expect(await told()).toEqual(['fired Something.'])
    found = []
    await look()
    expect(await told()).toEqual(['fired Something.', 'resolved Less.'])
  })

  test('is repeated as often as wanted, with what is known by then', async () => {
    await addChannel(null)
    found = [{}]
    await look(undefined, { repeatMinutes: 60 })
    clock.advance(59 * 60_000)
    await look(undefined, { repeatMinutes: 60 })
    expect(await told()).toHaveLength(1)
    found = [{ summary: 'More.', count: 2 }]
    clock.advance(60_000)
    await look(undefined, { repeatMinutes: 60 })
    await look(undefined, { repeatMinutes: 60 })
    expect(await told()).toEqual(['fired Something.', 'repeated More.'])
    clock.advance(7 * 24 * 60 * 60_000)
    await look(undefined, { repeatMinutes: 0 })
    expect(await told()).toHaveLength(2)
  })

  test('and what is told of it are there together or not at all', async () => {
    const channel = await addChannel(null)
    found = [{}]
    await db.session((session) =>
      session.script(`
        create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
        create trigger refuse before insert on alert_notifications execute function refuse()`),
    )
    await expect(look()).rejects.toThrow('refused')
    expect(await db.query(sql`select from alerts`)).toEqual([])
    await db.session((session) => session.script('drop trigger refuse on alert_notifications'))

    // Its lease is still held, by whoever failed.
    clock.advance(60_000)
    await look()
    expect(await toldAt(channel)).toEqual(['fired'])
  })
})

describe('whom it is told', () => {
  test('a tenant’s own channels, and nobody else’s; without any, the operator’s', async () => {
    const [a, b, none] = [await insertTenant(db), await insertTenant(db), await insertTenant(db)]
    const [ofA, ofB, operators] = [await addChannel(a), await addChannel(b), await addChannel(null)]
    found = [{ tenantId: a }, { tenantId: none }]
    await look()
    expect(await toldAt(ofA)).toEqual(['fired'])
    expect(await toldAt(ofB)).toEqual([])
    expect(await toldAt(operators)).toEqual(['fired'])

    // Where it was told that it began it is told that it is over, and only there.
    const later = await addChannel(none)
    found = []
    await look()
    expect(await toldAt(ofA)).toEqual(['fired', 'resolved'])
    expect(await toldAt(operators)).toEqual(['fired', 'resolved'])
    expect([...(await toldAt(ofB)), ...(await toldAt(later))]).toEqual([])
  })

  test('the others, where a channel is itself the trouble', async () => {
    const [broken, whole] = [await addChannel(null), await addChannel(null)]
    found = [{ subject: `ach_${broken.replaceAll('-', '')}` }]
    await look()
    expect(await toldAt(broken)).toEqual([])
    expect(await toldAt(whole)).toEqual(['fired'])
  })

  test('nobody, where there is no channel: it is there to be read', async () => {
    found = [{}]
    expect(await look()).toEqual({ fired: 1, resolved: 0, repeated: 0 })
    expect(await told()).toEqual([])
  })
})

test('what happens often is one row, and a new streak after a silence', async () => {
  const tenantId = await insertTenant(db)
  const at = (minutes: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + minutes * 60_000)
  const signal = (minutes: number) => ({
    tenantId,
    rule: 'rate_limited' as const,
    subject: '1',
    reason: 'RATE_LIMITED',
    activeUntil: at(minutes),
  })
  const read = () => db.query(sql`select count, first_at, last_at, active_until from alert_signals`)
  await noteSignals(db, [signal(10), signal(15)], at(0))
  await noteSignals(db, [signal(12)], at(2))
  expect(await read()).toEqual([
    { count: 3, first_at: at(0), last_at: at(2), active_until: at(15) },
  ])
  await noteSignals(db, [signal(30)], at(20))
  expect(await read()).toEqual([
    { count: 1, first_at: at(20), last_at: at(20), active_until: at(30) },
  ])
})
