// Bodies for a route: good ones with something changed, ones made from its schema, and ones that are none.
import type { JsonSchema } from '../../src/api/openapi-model.ts'
import { jpegBytes, pdfBytes } from '../../test/support/media.ts'
import { mutatedBytes } from './byte-mutations.ts'
import type { Dice } from './dice.ts'
import type { Target } from './model.ts'
import { changed, pathsIn, RawJson, toJson, wireChanges } from './mutations.ts'
import { oddTexts, valueFor } from './schema-values.ts'

interface Body {
  body: Buffer | undefined
  headers: Record<string, string>
}

const ordinary = Object.values(wireChanges)
export const jsonHeaders = { 'content-type': 'application/json' }
const otherTypes = [
  ...['text/plain', 'application/x-www-form-urlencoded', 'application/xml', 'nonsense', ''],
  ...['application/json; charset=utf-16', 'application/vnd.api+json', 'multipart/form-data'],
]
const bare = [
  '',
  '[]',
  'null',
  '""',
  '7',
  '{',
  '{}',
  '[[[[',
  '{"a":1,}',
  '\ufeff{}',
  '{"__proto__":{}}',
  "{'a':1}",
]

const ids: Record<string, string> = {
  account_id: '<<A.accounts>>',
  tenant_id: '<<A.tenants>>',
  media_id: '<<A.media>>',
  assigned_user_id: '<<A.people>>',
  phone_number_id: 'number-of-alder',
  to: '16505550143',
  ids: '<<A.dlq>>',
  after: Buffer.from('place 1').toString('base64url'),
  reason: 'why',
  url: 'http://127.0.0.1:9/',
}

export function makeBody(target: Target, dice: Dice, goodBody: () => unknown): Body {
  const { requestBody } = target.operation
  const none: Body = { body: undefined, headers: {} }
  if (!requestBody)
    return dice.isOneIn(20) ? { body: Buffer.from(dice.pick(bare)), headers: jsonHeaders } : none
  if ('multipart/form-data' in requestBody.content) return makeForm(dice)
  const schema = requestBody.content['application/json']?.schema ?? {}
  const text = Buffer.from(makeText(schema, dice, goodBody))
  const body = dice.isOneIn(15) ? mutatedBytes(text, text, dice) : text
  if (dice.isOneIn(30)) return { body, headers: { 'content-type': dice.pick(otherTypes) } }
  return dice.isOneIn(60) ? none : { body, headers: jsonHeaders }
}

function makeText(schema: JsonSchema, dice: Dice, goodBody: () => unknown): string {
  const dial = dice.below(100)
  if (dial < 5) return dice.pick(bare)
  if (dial < 6) return `{"a":"${'x'.repeat(300_000)}"}`
  if (dial < 7) return toJson(new RawJson('['.repeat(100_000) + ']'.repeat(100_000)))
  if (dial < 40) return toJson(valueFor(schema, dice, { oddOneIn: 25, known: (name) => ids[name] }))
  let value = goodBody()
  if (value === undefined || value instanceof FormData) return dice.pick(bare)
  if (dial < 50) return toJson(value)
  const paths = pathsIn(value)
  if (paths.length === 0) return toJson(value)
  for (let count = 1 + dice.below(3); count > 0; count--) {
    const change = dice.isOneIn(2) ? dice.pick(ordinary) : () => dice.pick(oddTexts)
    value = changed(value, dice.pick(paths), change)
  }
  return toJson(value)
}

/** A form with a file, often one that no browser would write. */
function makeForm(dice: Dice): Body {
  const boundary = dice.isOneIn(20)
    ? dice.pick(['', 'x'.repeat(300), 'é', '--', '"'])
    : 'fuzz-boundary'
  const name = dice.isOneIn(6)
    ? dice
        .pick(oddTexts)
        .replace(/[\r\n"\0]/g, '_')
        .toWellFormed()
    : 'file'
  const filename = dice.pick([
    'a.jpg',
    'a.pdf',
    '../../a',
    '.',
    'é.jpg',
    'x'.repeat(2_000),
    '"; x="',
  ])
  const type = dice.pick(['image/jpeg', 'application/pdf', 'text/html', 'nonsense', ''])
  const content = dice.pick([jpegBytes, pdfBytes, Buffer.alloc(0), Buffer.alloc(3_000, 0xff)])
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\n`
  const field = `--${boundary}\r\ncontent-disposition: form-data; name="kind"\r\n\r\nimage\r\n`
  const whole = Buffer.concat([
    Buffer.from(dice.isOneIn(5) ? field.repeat(1 + dice.below(20)) : ''),
    Buffer.from(`${head}content-type: ${type}\r\n\r\n`),
    content,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
  const said = `multipart/form-data; boundary=${boundary.replace(/[^\x20-\x7e]/g, '_')}`
  const contentType = dice.isOneIn(20) ? dice.pick([...otherTypes, 'application/json']) : said
  const body = dice.isOneIn(3) ? mutatedBytes(whole, whole, dice) : whole
  return { body, headers: { 'content-type': contentType } }
}
