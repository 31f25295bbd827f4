import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { canary, expectNone } from '../../test/support/canaries.ts'
import { type Collector, startCollector } from '../../test/support/collector.ts'
import { createManualClock, type ManualClock } from '../../test/support/manual-clock.ts'
import { until } from '../../test/support/program.ts'
import { createLog } from '../log.ts'
import { systemRandom } from '../time-and-chance.ts'
import { attributeNames, type Span } from './span.ts'
import { correlationIdOf, placeIn, spanIds, traceIdOf } from './span-ids.ts'
import { createTraces, type Traces, type TracesOptions } from './traces.ts'

const hashKey = Buffer.alloc(32, 9)

interface World {
  traces: Traces
  clock: ManualClock
  collector: Collector
  lines(): Record<string, unknown>[]
}

async function start(more: Partial<TracesOptions> = {}): Promise<World> {
  const collector = await startCollector()
  const clock = createManualClock()
  let text = ''
  const destination = {
    write: (line: string) => {
      text += line
    },
  }
  const traces = createTraces({
    endpoint: collector.url,
    headers: [],
    serviceName: 'estafet',
    version: '1.2.3',
    sampleRatio: 1,
    clock,
    random: systemRandom(clock),
    log: createLog({ level: 'debug', hashKey, clock, destination }),
    hashKey,
    ...more,
  })
  await traces.start()
  // Its own time stands still: whoever forgets to stop it is stopped by the end of the collector.
  afterFile(() => Promise.race([traces.stop(), Promise.resolve(clock.advance(10_000))]))
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { traces, clock, collector, lines }
}

const correlationId = '019a0000-0000-7000-8000-0000000000aa'
const span = (more: Partial<Span> = {}): Span => ({
  step: 'receive',
  id: spanIds.receive(correlationId),
  parent: null,
  correlationId,
  startMs: 1_000.25,
  endMs: 2_000.75,
  fields: {},
  ...more,
})

describe('ids', () => {
  test('a correlation id is a trace id, and back', () => {
    expect(traceIdOf(correlationId)).toBe('019a00000000700080000000000000aa')
    expect(correlationIdOf(traceIdOf(correlationId))).toBe(correlationId)
    for (const other of [correlationId, '019a', 'wamid.019a00000000700080000000000000']) {
      expect(correlationIdOf(other)).toBeUndefined()
    }
  })

  test('the same row has the same span in every process, another step or row another', () => {
    const ids = [
      spanIds.receive('a'),
      spanIds.process('a', 1),
      spanIds.process('a', 2),
      spanIds.message('a'),
      spanIds.send('a'),
      spanIds.post('a'),
      spanIds.status('a', 'read'),
      spanIds.status('a', 'read', 'b'),
      spanIds.deliver('a'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => !/^[0-9a-f]{16}$/.test(id))).toEqual([])
    // Of any other version too, or a rolling update would tear traces apart.
    expect(spanIds.receive('a')).toBe('4b52a2b2fad6c5e0')
  })

  test('a traceparent is read as W3C has it; what is not one is nothing', () => {
    const place = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
    expect(placeIn(`00-${place.traceId}-${place.spanId}-01`)).toEqual(place)
    expect(placeIn(`cc-${place.traceId}-${place.spanId}-00-what-comes-later`)).toEqual(place)
    for (const wrong of [
      undefined,
      '',
      `ff-${place.traceId}-${place.spanId}-01`,
      `00-${'0'.repeat(32)}-${place.spanId}-01`,
      `00-${place.traceId}-${'0'.repeat(16)}-01`,
      `00-${place.traceId.toUpperCase()}-${place.spanId}-01`,
      `00-${place.traceId}-${place.spanId}-01x`,
      `00-${place.traceId}-${place.spanId}-01, 00-${place.traceId}-${place.spanId}-01`,
    ]) {
      expect(placeIn(wrong), wrong).toBeUndefined()
    }
  })
})

describe('what is exported', () => {
  test('goes to the collector with its headers, when the process ends at the latest', async () => {
    const { traces, collector } = await start({ headers: ['x-token=a%20b=', 'x-more = c'] })
    traces.record(span({ fields: { tenant_id: correlationId, statusCode: 200, error_code: null } }))
    traces.record(span({ id: 'b'.repeat(16), parent: 'a'.repeat(16), endMs: 500 }))
    await traces.stop()
    expect(collector.calls).toMatchObject([
      { path: '/v1/traces', headers: { 'x-token': 'a b=', 'x-more': 'c' } },
    ])
    expect(collector.spans()).toMatchObject([
      {
        name: 'receive',
        traceId: traceIdOf(correlationId),
        parentSpanId: '',
        isError: false,
        startMs: 1_000,
        endMs: 2_000,
        attributes: {
          'estafet.correlation_id': correlationId,
          'estafet.tenant_id': correlationId,
          'http.response.status_code': 200,
        },
        resource: { 'service.name': 'estafet', 'service.version': '1.2.3' },
      },
      // The clock was set back meanwhile.
      { parentSpanId: 'a'.repeat(16), startMs: 500, endMs: 500 },
    ])
  })

  test('holds no field but those of the list, and no value that the log would hide', async () => {
    const { traces, collector } = await start()
    const secrets = ['wamid', 'text of a person', 'error', 'contact number'].map(
      (what) => canary(what).text,
    )
    const [wamid, written, error_message, contact] = secrets as [string, string, string, string]
    const fields = {
      wamid: `wamid.${wamid}`,
      state: `${written} was written`,
      error_message,
      contact,
    }
    traces.record(span({ fields }))
    await traces.stop()
    expect(Object.keys(collector.spans()[0]?.attributes ?? {}).sort()).toEqual([
      'estafet.correlation_id',
      'estafet.state',
      'estafet.wamid',
    ])
    expectNone(collector.text(), ...secrets)
  })

  test('is whole traces, as many as wanted, and the same ones everywhere', async () => {
    const none = await start({ sampleRatio: 0 })
    none.traces.record(span())
    expect(none.traces.traceparent(correlationId, 'b'.repeat(16))).toMatch(/-00$/)
    await none.traces.stop()
    expect(none.collector.calls).toEqual([])

    const worlds = [await start({ sampleRatio: 0.5 }), await start({ sampleRatio: 0.5 })]
    const stories = Array.from(
      { length: 64 },
      (_, n) => `019a0000-0000-7000-8000-${(n * 0x3ffffff).toString(16).padStart(12, '0')}`,
    )
    for (const { traces } of worlds) {
      for (const story of stories) traces.record(span({ correlationId: story }))
      await traces.stop()
    }
    const [left = [], right = []] = worlds.map(({ collector }) =>
      collector.spans().map(({ traceId }) => traceId),
    )
    expect(left).toEqual(right)
    expect(left.length).toBeGreaterThan(0)
    expect(left.length).toBeLessThan(stories.length)
  })

  test('nothing, before it is started', async () => {
    const { collector, clock, traces } = await start()
    await traces.stop()
    const log = createLog({ level: 'silent', hashKey, clock })
    const asleep = createTraces({
      ...{ endpoint: collector.url, headers: [], serviceName: 'x', version: '1', sampleRatio: 1 },
      ...{ clock, random: systemRandom(clock), log, hashKey },
    })
    asleep.record(span())
    expect(asleep.traceparent(correlationId, 'b'.repeat(16))).toMatch(/-00$/)
    await asleep.stop()
    expect(collector.calls).toEqual([])
  })
})

describe('a collector', () => {
  /** Less than a unit test's own limit of 10 s. */
  const withinMs = 8_000

  test('that refuses is complained of now and then, not each time', async () => {
    const { traces, clock, collector, lines } = await start()
    collector.react(400)
    const fail = async () => {
      const calls = collector.calls.length
      for (let n = 0; n < 512; n++) traces.record(span())
      await until('it was called', () => collector.calls.length > calls, withinMs)
    }
    await fail()
    await until('it is complained of', () => lines().length === 1, withinMs)
    expect(lines()[0]).toMatchObject({ event: 'traces_not_exported', level: 'warn', count: 512 })
    await fail()
    await fail()
    clock.advance(5 * 60_000)
    await fail()
    await until('it is complained of again', () => lines().length === 2, withinMs)
    collector.react(200)
    await traces.stop()
    expect(lines()).toHaveLength(2)
  })

  test('that hangs holds up neither those who report nor the end', async () => {
    const { traces, clock, collector, lines } = await start()
    collector.react('hang')
    for (let n = 0; n < 10_000; n++) traces.record(span())
    // 512 are on their way, 8192 wait.
    expect(lines()).toMatchObject([{ event: 'traces_not_exported', count: 1 }])
    await until('it was called', () => collector.calls.length > 0, withinMs)
    let isStopped = false
    const stopping = traces.stop().then(() => {
      isStopped = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(isStopped).toBe(false)
    clock.advance(2_000)
    await stopping
    expect(isStopped).toBe(true)
  })
})

test('docs/tracing.md explains every step and every attribute', () => {
  const page = readFileSync(new URL('../../docs/tracing.md', import.meta.url), 'utf8')
  const rows = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  const steps = ['receive', 'process', 'record', 'queue', 'send', 'post', 'status', 'deliver']
  expect(rows.sort()).toEqual([...steps, ...Object.values(attributeNames)].sort())
})
