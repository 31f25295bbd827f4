// Cursors come back from callers, who may have made them: each decoder takes its own, and refuses everything else by name.
import { decodeCursor, encodeCursor } from '../../src/api/paging.ts'
import { decodeAuditCursor } from '../../src/audit/list.ts'
import { decodeVerified } from '../../src/audit/verify-part.ts'
import { AppError } from '../../src/errors.ts'
import { decodePlace as decodeEventPlace } from '../../src/events/manage.ts'
import { isUuid } from '../../src/ids.ts'
import { decodePlace as decodeTracePlace } from '../../src/ops/place.ts'
import type { Reader } from './model.ts'

const uuid = '019a0000-0000-7000-8000-0123456789ab'
const at = new Date(1.78e12)

/** Its module; a cursor that it takes; what is wrong with what it made of another. */
interface Decoder<Decoded> {
  file: string
  sample: string
  decode(text: string): Decoded
  problemOf(decoded: NonNullable<Decoded>, given: string): string | undefined
}

const decoder = <Decoded>(one: Decoder<Decoded>) => one

const base64url = (text: string) => Buffer.from(text).toString('base64url')
const isChain = (chain: string) => chain === 'operators' || /^[0-9a-f-]{36}$/.test(chain)
/** Those that the database knows too. */
const isTime = (time: Date) => time.getUTCFullYear() >= 0 && time.getUTCFullYear() <= 9_999

/** Of a year that JavaScript knows, and the database does not. */
const strange = base64url('-271821-04-20T00:00:00Z operators 17')

/** Every one that there is. */
export const decoders = [
  decoder({
    file: 'src/api/paging.ts',
    sample: encodeCursor({ at, id: uuid }),
    decode: decodeCursor,
    problemOf: (cursor, given) => {
      if (!isUuid(cursor.id)) return 'no id in it'
      return encodeCursor(cursor) === given ? undefined : 'another cursor than was given'
    },
  }),
  decoder({
    file: 'src/ops/place.ts',
    sample: base64url(JSON.stringify(['2026-05-28 20:26:40.123456+00', uuid, 3])),
    decode: decodeTracePlace,
    problemOf: ({ id, number }) =>
      isUuid(id) && Number.isSafeInteger(number) ? undefined : 'no place',
  }),
  decoder({
    file: 'src/audit/list.ts',
    sample: base64url(`${at.toISOString()} ${uuid} 17`),
    decode: decodeAuditCursor,
    problemOf: ({ at: time, chain, position }) =>
      isTime(time) && isChain(chain) && Number.isSafeInteger(position) ? undefined : 'no place',
  }),
  decoder({
    file: 'src/audit/verify-part.ts',
    sample: base64url('operators 17'),
    decode: decodeVerified,
    problemOf: ({ chain, position }) =>
      isChain(chain) && Number.isSafeInteger(position) ? undefined : 'no place',
  }),
  decoder({
    file: 'src/events/manage.ts',
    sample: base64url('place 17'),
    decode: decodeEventPlace,
    problemOf: (position) => (Number.isSafeInteger(position) ? undefined : 'no place'),
  }),
]

function readerOf<Decoded>({ file, sample, decode, problemOf }: Decoder<Decoded>): Reader {
  return {
    name: `cursor of ${file}`,
    samples: [sample, strange, ''].map((text) => Buffer.from(text)),
    read(bytes) {
      const given = bytes.toString()
      try {
        const decoded = decode(given)
        return decoded == null ? 'read as nothing' : problemOf(decoded, given)
      } catch (error) {
        if (error instanceof AppError && error.code === 'INVALID_CURSOR') return undefined
        throw error
      }
    },
  }
}

export const cursorReaders: Reader[] = decoders.map((one) => readerOf(one as Decoder<unknown>))
