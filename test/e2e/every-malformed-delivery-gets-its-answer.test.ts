// What is signed is never refused for what it says: 200, the event done, and whatever cannot be applied is a dead
// letter with its own bytes, while what stands beside it goes through.
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import {
  signatureOf,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { fixture, payload, textMessage } from '../support/payloads.ts'
import { eventOf, lettersOf, messageRows, stepRows } from '../support/rows.ts'

let gateway: TestGateway
let tenant: TestTenant
let db: Db

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A', tenantANumber)
  db = gateway.db
})

const value = 'entry[0].changes[0].value'

interface Expected {
  /** Dead letters as `kind path reason`. `*` after the kind: it is tenant A's. */
  letters?: string[]
  /** The types of the messages it becomes. */
  messages?: string[]
  statuses?: string[]
}

const notJson: Expected = { letters: ['malformed  the body is not JSON in UTF-8'] }
const notAnObject: Expected = { letters: ['malformed  the body is not a JSON object'] }
const noEntries: Expected = { letters: ['malformed  entry is not an array'] }
const nothing: Expected = {}

const expectations: Record<string, Expected> = {
  'truncated-json.txt': notJson,
  'empty-body.txt': notJson,
  'html-body.txt': notJson,
  'trailing-comma-json.txt': notJson,
  'invalid-utf8.bin': notJson,
  'form-encoded.txt': notJson,
  'top-level-array.json': notAnObject,
  'top-level-null.json': notAnObject,
  'top-level-string.json': notAnObject,
  'wrong-object.json': { letters: ['malformed  object is not whatsapp_business_account'] },
  'missing-object.json': { messages: ['text'] },
  'entry-missing.json': noEntries,
  'entry-object.json': noEntries,
  'entry-empty.json': nothing,
  'entry-null-item.json': { letters: ['malformed entry[0] the entry is not an object'] },
  'deep-nesting.json': { letters: ['malformed entry[0] the entry is not an object'] },
  'changes-missing.json': { letters: ['malformed entry[0] changes is not an array'] },
  'changes-empty.json': nothing,
  'change-without-value.json': {
    letters: ['malformed entry[0].changes[0] value is not an object'],
  },
  'value-null.json': { letters: ['malformed entry[0].changes[0] value is not an object'] },
  // Its WABA is nobody's here.
  'field-inside-value.json': {
    letters: ['unroutable entry[0].changes[0] no account has this WABA id'],
  },
  'proto-pollution.json': nothing,
  // An id that has lost digits is nobody's.
  'big-integer-ids.json': {
    letters: ['unroutable entry[0].changes[0] no account has this WABA id'],
  },
  'metadata-missing.json': {
    letters: [`unroutable ${value}.messages[0] no account has this phone_number_id`],
  },
  'unknown-phone-number-id.json': {
    letters: [`unroutable ${value}.messages[0] no account has this phone_number_id`],
  },
  'message-without-id.json': {
    letters: [`malformed* ${value}.messages[0] the message has no usable id`],
  },
  'messages-object.json': { letters: [`malformed* ${value}.messages messages is not an array`] },
  'message-without-type.json': { messages: ['unknown'] },
  'message-type-without-body.json': { messages: ['image'] },
  'message-no-sender.json': { messages: ['text'] },
  'message-number-timestamp.json': { messages: ['text'] },
  'message-bad-timestamp.json': { messages: ['text'] },
  'nfm-response-json-not-json.json': { messages: ['interactive'] },
  'nfm-response-json-array.json': { messages: ['interactive'] },
  'good-and-bad-in-one-batch.json': {
    letters: [
      `malformed* ${value}.messages[0] the message is not an object`,
      `malformed* ${value}.messages[2] the message has no usable id`,
      'malformed entry[0].changes[1] value is not an object',
    ],
    messages: ['text'],
    statuses: ['read'],
  },
}

const contentTypes: Record<string, string> = {
  json: 'application/json',
  txt: 'text/plain',
  bin: 'application/octet-stream',
}

describe('a signed delivery that is not what it should be', () => {
  const files = readdirSync(new URL('../fixtures/meta/malformed/', import.meta.url)).toSorted()

  test('every fixture has its expectation', () => {
    expect(Object.keys(expectations).sort()).toEqual(files)
  })

  test.each(files)('%s is acknowledged, kept and answered for', async (file) => {
    const expected = expectations[file] ?? nothing
    const raw = fixture(`malformed/${file}`)

    const answer = await gateway.deliver(raw, {
      'content-type': contentTypes[file.split('.').at(-1) ?? ''] ?? '',
      'x-hub-signature-256': signatureOf(raw),
    })
    await gateway.drain()

    expect(answer.status).toBe(200)
    const event = await eventOf(db, raw)
    expect(event).toMatchObject({ status: 'done', attempt: 1, last_error: null })
    const letters = await lettersOf(db, event.id)
    expect(
      letters.map(
        ({ kind, tenant_id, item_path, error_message }) =>
          `${kind}${tenant_id === tenant.id ? '*' : ''} ${item_path} ${error_message}`,
      ),
    ).toEqual(expected.letters ?? [])
    for (const letter of letters) {
      if (letter.item_path === '') expect(letter.raw.equals(raw)).toBe(true)
      else expect(letter.raw.toString()).not.toContain('keep me')
    }
    const messages = (await messageRows(db)).filter((row) => row.event_id === event.id)
    expect(messages.map((row) => row.type)).toEqual(expected.messages ?? [])
    const steps = (await stepRows(db)).filter((row) => row.event_id === event.id)
    expect(steps.map((row) => row.status)).toEqual(expected.statuses ?? [])
  })

  test('nothing of it reached every object of the process', () => {
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
  })
})

describe('hostile content', () => {
  async function process(body: string | Buffer) {
    const raw = Buffer.from(body)
    const answer = await gateway.deliver(raw)
    expect(answer.status).toBe(200)
    await gateway.drain()
    const event = await eventOf(db, raw)
    expect(event.status).toBe('done')
    return event
  }

  /** The content of a message as the tenant's program sees it. */
  async function contentOf(wamid: string) {
    const list = await gateway.call('GET', '/api/whatsapp/conversations?limit=200', {
      key: tenant.key,
    })
    for (const conversation of list.json.data) {
      const messages = await gateway.call(
        'GET',
        `/api/whatsapp/conversations/${conversation.id}/messages?limit=200`,
        { key: tenant.key },
      )
      const found = messages.json.data.find((it: { wamid: string }) => it.wamid === wamid)
      if (found) return found.content
    }
    throw new Error(`no message ${wamid}`)
  }

  /** A payload whose only message has this written into it, as text, where JSON.stringify could not. */
  const withText = (id: string, written: string) =>
    JSON.stringify(payload({ messages: [textMessage(id, 'hello', { odd: '@@' })] })).replace(
      '"@@"',
      written,
    )

  test('NUL and halves of surrogate pairs are readable in the API, and the bytes are kept', async () => {
    const text = 'a\u0000b\ud83dc\udf35d'
    const event = await process(
      JSON.stringify(payload({ messages: [textMessage('wamid.nul', text, { 'k\u0000': 1 })] })),
    )

    expect(event.has_payload).toBe(false)
    expect(JSON.parse(event.raw.toString()).entry[0].changes[0].value.messages[0].text.body).toBe(
      text,
    )
    expect(await contentOf('wamid.nul')).toEqual({ text: { body: 'a�b�c�d' }, 'k�': 1 })
  })

  test('a whole pair, right-to-left marks and a text of 65,536 characters come out as they went in', async () => {
    const text = `🌵\u202e\u0301${'x'.repeat(65_536)}`
    const event = await process(
      JSON.stringify(payload({ messages: [textMessage('wamid.whole', text)] })),
    )

    expect(event.has_payload).toBe(true)
    expect(await contentOf('wamid.whole')).toEqual({ text: { body: text } })
  })

  test('a number that no database can hold', async () => {
    const event = await process(withText('wamid.huge', '1e999999'))

    expect(event.has_payload).toBe(false)
    expect(await contentOf('wamid.huge')).toMatchObject({ text: { body: 'hello' } })
  })

  test('five thousand levels of nesting put that message aside, and its neighbour goes through', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const body = JSON.stringify(
      payload({
        messages: [
          textMessage('wamid.deep', 'secret of the deep one', { odd: '@@' }),
          textMessage('wamid.beside-deep', 'hello'),
        ],
      }),
    ).replace('"@@"', deep)

    const event = await process(body)

    expect(await lettersOf(db, event.id)).toMatchObject([
      {
        kind: 'malformed',
        tenant_id: tenant.id,
        item_path: `${value}.messages[0]`,
        error_message: 'nested more than 200 levels deep',
      },
    ])
    expect(await contentOf('wamid.beside-deep')).toEqual({ text: { body: 'hello' } })
  })

  test('a million levels of nesting are acknowledged and put aside', async () => {
    const event = await process(`${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`)

    expect(await lettersOf(db, event.id)).toMatchObject([{ kind: 'malformed', item_path: '' }])
  })

  test('of a key that stands twice the last one counts, as for Postgres', async () => {
    const body = JSON.stringify(payload({ messages: [textMessage('wamid.first', 'hello')] }))
    await process(body.replace('"id":"wamid.first"', '"id":"wamid.first","id":"wamid.second"'))

    expect(await contentOf('wamid.second')).toEqual({ text: { body: 'hello' } })
  })

  test('__proto__ is a name like any other', async () => {
    await process(
      withText('wamid.proto', '{"__proto__":{"admin":true},"constructor":{"prototype":{"x":1}}}'),
    )

    const content = await contentOf('wamid.proto')
    expect(JSON.stringify(content)).toContain('"__proto__":{"admin":true}')
    expect(({} as Record<string, unknown>).admin).toBeUndefined()
  })

  test.each([
    ['a number beyond 2^53', '9007199254740993'],
    ['an infinite number', '1e999'],
    ['an empty text', '""'],
    ['an object', '{}'],
    ['a text of 600 characters', `"${'x'.repeat(600)}"`],
    ['a text with NUL', '"wamid\\u0000"'],
  ])('%s is no id: the message is put aside', async (_name, id) => {
    const body = JSON.stringify(payload({ messages: [textMessage('@@', `with id ${id}`)] }))

    const event = await process(body.replace('"@@"', () => id))

    expect(await lettersOf(db, event.id)).toMatchObject([
      { kind: 'malformed', error_message: 'the message has no usable id', tenant_id: tenant.id },
    ])
  })
})
