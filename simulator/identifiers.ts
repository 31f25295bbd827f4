// Ids that look like Meta's. The gateway must treat them as opaque; ours carry what real ones do,
// a phone number in base64 above all, so that careless logging shows up in tests.
import type { Random } from './time-and-chance.ts'

type Direction = 'inbound' | 'outbound'

const wamidTail: Record<Direction, { marker: number; randomBytes: number }> = {
  outbound: { marker: 0x11, randomBytes: 9 },
  inbound: { marker: 0x12, randomBytes: 10 },
}

export function makeWamid(direction: Direction, phone: string, random: Random): string {
  const { marker, randomBytes } = wamidTail[direction]
  const unique = random.bytes(randomBytes).toString('hex').toUpperCase()
  const bytes = Buffer.concat([
    Buffer.from([0x1c, 0x18, phone.length]),
    Buffer.from(phone, 'ascii'),
    Buffer.from([0x15, 0x02, 0x00, marker, 0x18, unique.length]),
    Buffer.from(unique, 'ascii'),
    Buffer.from([0x00]),
  ])
  return `wamid.${bytes.toString('base64')}`
}

export function makeTraceId(random: Random): string {
  return `A${random.bytes(16).toString('base64url')}`
}

/** Digits without a leading zero, as media ids and handshake challenges are. */
export function makeDigits(length: number, random: Random): string {
  const rest = Array.from(random.bytes(length - 1), (byte) => byte % 10)
  return ['1', ...rest].join('')
}

/** A business-scoped user id: how a person without a visible phone number is named. */
export function isBusinessScopedUserId(value: string): boolean {
  return /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/.test(value)
}

export function digitsOf(value: string): string {
  return value.replace(/\D/g, '')
}

/** A person known only by user id has a phone too, but not one we know: its digits stand in. */
export function phoneInside(id: string): string {
  return digitsOf(id).slice(0, 15)
}
