// Webhooks as they should not be, made out of good ones.
import type { RuleOf } from '../faults/rules.ts'
import type { SignatureKind } from './courier.ts'
import { serializeLikeMeta } from './signing.ts'
import { envelope, type Update } from './updates.ts'

interface Spoiled {
  body: Buffer
  signature: SignatureKind
}

export function spoil(update: Update, how: RuleOf<'malformed'>['how']): Spoiled {
  const good = envelope([update])
  const bytes = serializeLikeMeta(good)
  const signed = (body: Buffer): Spoiled => ({ body, signature: 'right' })
  const withValue = (value: unknown) =>
    signed(serializeLikeMeta({ ...good, entry: [entryWith(update, value)] }))
  switch (how) {
    case 'truncated':
      return signed(bytes.subarray(0, Math.floor(bytes.length * 0.6)))
    case 'not_json':
      return signed(Buffer.from(`object=whatsapp_business_account&entry=${update.entryId}`))
    case 'html':
      return signed(Buffer.from('<!DOCTYPE html><html><body>Sorry</body></html>'))
    case 'empty':
      return signed(Buffer.alloc(0))
    case 'invalid_utf8':
      return signed(Buffer.concat([bytes.subarray(0, 12), Buffer.from([0xff, 0xc3, 0x28]), bytes]))
    case 'top_level_array':
      return signed(serializeLikeMeta([good]))
    case 'no_entry':
      return signed(serializeLikeMeta({ object: good.object }))
    case 'null_value':
      return withValue(null)
    case 'no_metadata':
      return withValue({ ...update.value, metadata: undefined })
    case 'wrong_signature':
      return { body: bytes, signature: 'wrong' }
    case 'missing_signature':
      return { body: bytes, signature: 'missing' }
  }
}

function entryWith({ entryId, field }: Update, value: unknown) {
  return { id: entryId, changes: [{ value, field }] }
}
