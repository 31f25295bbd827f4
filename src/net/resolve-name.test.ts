import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createNameResolver } from './resolve-name.ts'

const server = createSocket('udp4')
let resolve: ReturnType<typeof createNameResolver>

/** A name server that knows the IPv4 address of one name. */
server.on('message', (question, { port, address }) => {
  const end = question.indexOf(0, 12) + 5
  const isKnown = question.subarray(12, end).toString('latin1').includes('known')
  const asksForFour = question.readUInt16BE(end - 4) === 1
  const answer = Buffer.from('c00c000100010000003c0004' + '5db8d822', 'hex')
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(isKnown && asksForFour ? 1 : 0, 6)
  head.fill(0, 8, 12)
  server.send(Buffer.concat([head, ...(isKnown && asksForFour ? [answer] : [])]), port, address)
})

beforeAll(async () => {
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  resolve = createNameResolver([`127.0.0.1:${(server.address() as AddressInfo).port}`])
})
afterAll(() => void server.close())

test('a name with addresses of one kind has those', async () => {
  expect(await resolve('known.example')).toEqual([{ address: '93.184.216.34', family: 4 }])
})

test('a name that nobody knows has none, and says so', async () => {
  await expect(resolve('other.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
})
