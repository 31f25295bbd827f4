// Whatever is deleted, nulled, retyped or enlarged: nothing throws, and what was not touched is still found.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changed, changes, type Path, pathsIn } from '../../proof/fuzz/mutations.ts'
import { webhookBodies, webhooks } from '../../proof/fuzz/samples.ts'
import { seed, times } from '../../test/support/chance.ts'
import { fixture } from '../../test/support/payloads.ts'
import { seeded, shuffled } from '../../test/support/seeded.ts'
import { describeDelivery } from './delivery.ts'
import { parseWebhook } from './webhook.ts'
import type { WebhookItem } from './webhook-item.ts'

function parse(value: unknown): WebhookItem[] {
  const raw = Buffer.from(JSON.stringify(value) ?? 'null')
  describeDelivery(raw)
  const parsed = parseWebhook(raw)
  return 'items' in parsed ? parsed.items : []
}

describe('any node of any fixture', () => {
  test.each(Object.keys(changes))('%s: nothing throws', (name) => {
    const fraction = seeded(seed + Object.keys(changes).indexOf(name))
    for (const value of webhooks) {
      // A few of each in `npm test`, all of them in `npm run test:fuzz`.
      for (const path of shuffled(pathsIn(value), fraction).slice(0, times(8))) {
        parse(changed(value, path, changes[name] ?? String))
      }
    }
  })

  test('several at once: nothing throws', () => {
    const values = webhooks.map((value) => ({ value, paths: pathsIn(value) }))
    const mutations = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.values(changes))), {
      minLength: 2,
      maxLength: 6,
    })
    fc.assert(
      fc.property(fc.constantFrom(...values), mutations, ({ value, paths }, list) => {
        let mutated: unknown = value
        for (const [place, change] of list) {
          mutated = changed(mutated, paths[place % paths.length] ?? [], change)
        }
        parse(mutated)
      }),
      { numRuns: times(150) },
    )
  })
})

const read = (file: string): unknown => JSON.parse(fixture(file).toString())

describe('any node of one item', () => {
  const file = '071-batch-messages-and-statuses.json'
  const value = read(file)
  const root: Path = ['entry', 0, 'changes', 0, 'value']
  const originals = parse(value)
  const found = (items: WebhookItem[]) =>
    items.flatMap((item) =>
      'wamid' in item ? [JSON.stringify([item.kind, item.path, item.raw])] : [],
    )

  const cases = [0, 1, 2]
    .map((index): Path => [...root, 'messages', index])
    .concat([0, 1].map((index): Path => [...root, 'statuses', index]))

  test.each(cases.map((path) => [path.slice(-2).join(' '), path] as const))(
    'of %s may be anything: its siblings are found as they were',
    (_name, path) => {
      const place = `${path[5]}[${path[6]}]`
      const siblings = originals.filter((item) => !item.path.endsWith(place))
      const nodes = pathsIn(value).filter((node) => path.every((key, at) => node[at] === key))
      expect(nodes.length).toBeGreaterThan(3)
      for (const node of nodes) {
        for (const change of Object.values(changes)) {
          expect(found(parse(changed(value, node, change)))).toEqual(
            expect.arrayContaining(found(siblings)),
          )
        }
      }
    },
  )

  test('of one change may be anything: the other changes are found as they were', () => {
    const mixed = read('072-batch-mixed-fields.json')
    const before = parse(mixed)
    const nodes = pathsIn(mixed).filter((node) => node[0] === 'entry' && node[3] === 0)
    for (const node of nodes) {
      for (const change of Object.values(changes)) {
        const after = parse(changed(mixed, node, change))
        for (const other of before.filter((item) => !item.path.includes('changes[0]'))) {
          expect(after.map((item) => item.path)).toContain(other.path)
        }
      }
    }
  })
})

describe('anything at all', () => {
  test('any JSON value in any place is read without a throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        parse(any)
        parse({ entry: any })
        parse({ entry: [any] })
        parse({ entry: [{ changes: any }] })
        parse({ entry: [{ changes: [any] }] })
        parse({ entry: [{ changes: [{ field: 'messages', value: any }] }] })
        parse({ entry: [{ changes: [{ field: 'messages', value: { messages: any } }] }] })
        parse({ entry: [{ changes: [{ field: 'messages', value: { messages: [any] } }] }] })
        parse({ entry: [{ changes: [{ field: 'messages', value: { statuses: [any] } }] }] })
        parse({ entry: [{ changes: [{ field: any, value: { metadata: any, contacts: any } }] }] })
      }),
      { numRuns: times(80) },
    )
  })

  test('any bytes are read without a throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        parseWebhook(Buffer.from(bytes))
        describeDelivery(Buffer.from(bytes))
      }),
    )
  })

  test('a fixture cut short or with a byte changed is read without a throw', () => {
    fc.assert(
      fc.property(fc.constantFrom(...webhookBodies), fc.nat(), fc.nat(255), (raw, place, byte) => {
        const at = place % raw.length
        parseWebhook(raw.subarray(0, at))
        const other = Buffer.from(raw)
        other[at] = byte
        parseWebhook(other)
        describeDelivery(other)
      }),
      { numRuns: times(150) },
    )
  })
})
