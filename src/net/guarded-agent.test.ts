import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isPublicAddress } from './address.ts'
import {
  createGuardedAgent,
  guardedLookup,
  type ResolveName,
  targetProblem,
} from './guarded-agent.ts'

let server: Server
let port: number
let calls: string[] = []

beforeAll(async () => {
  server = createServer((incoming, response) => {
    calls.push(incoming.headers.host ?? '')
    if (incoming.url === '/elsewhere') response.writeHead(302, { location: '/' })
    response.end('hello')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
beforeEach(() => {
  calls = []
})
afterAll(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))

async function ask(host: string, allowPrivate: boolean, resolve?: ResolveName, path = '/') {
  const agent = createGuardedAgent({
    allowPrivate,
    connectTimeoutMs: 30_000,
    silenceMs: 30_000,
    ...(resolve && { resolve }),
  })
  try {
    const { statusCode, body } = await request(`http://${host}:${port}${path}`, {
      dispatcher: agent,
    })
    await body.dump()
    return statusCode
  } catch (error) {
    return (error as { code?: string }).code
  } finally {
    await agent.destroy()
  }
}

const answering =
  (...answers: string[][]): ResolveName =>
  async () =>
    (answers.length > 1 ? answers.shift() : answers[0])?.map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    })) ?? []

describe('an address', () => {
  test.each([
    ...[
      '127.0.0.1',
      '127.255.1.2',
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
    ],
    ...[
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '100.100.100.200',
      '192.0.0.192',
      '198.18.0.1',
    ],
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '203.0.113.9', '192.0.2.1'],
    ...[
      '::',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::7f00:1',
      '64:ff9b::7f00:1',
      'fe80::1',
    ],
    ...[
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '2002:7f00:1::',
      '2001::1',
      '2001:db8::1',
    ],
    ...['', 'localhost', '1.2.3', '2130706433', '0x7f000001', '[::1]'],
  ])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    ...['8.8.8.8', '31.13.71.36', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1'],
    ...['169.253.0.1', '223.255.255.255', '2606:4700:4700::1111', '2a03:2880:f003::1'],
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  test('that carries an IPv4 address inside is never public', () => {
    fc.assert(fc.property(fc.ipV4(), (address) => !isPublicAddress(`::ffff:${address}`)))
  })
})

describe('a connection', () => {
  test('is not made to an address of this machine, however it is written', async () => {
    const hosts = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '0.0.0.0', '[::1]']
    for (const host of [...hosts, '[::ffff:127.0.0.1]', '[::]']) {
      expect(await ask(host, false), host).toBe('TARGET_REFUSED')
    }
    expect(calls).toEqual([])
  })

  test('is not made to a name that leads there, not even when only one of its addresses does', async () => {
    expect(await ask('localhost', false)).toBe('TARGET_REFUSED')
    for (const answer of [
      ['127.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['8.8.8.8', '::1'],
      ['::ffff:7f00:1'],
    ]) {
      expect(await ask('files.example', false, answering(answer))).toBe('TARGET_REFUSED')
    }
    expect(calls).toEqual([])
  })

  test('is made to what was judged: a name that changes its mind is asked once', async () => {
    const looked: string[] = []
    const rebinding: ResolveName = async () => {
      looked.push('asked')
      // Public when it is looked at, this machine when it is looked up again.
      return [{ address: looked.length === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }]
    }
    const lookup = guardedLookup({
      allowPrivate: false,
      connectTimeoutMs: 300,
      silenceMs: 300,
      resolve: rebinding,
    })

    const found = await new Promise((resolve) =>
      lookup('files.example', { all: true }, (error, address) => resolve(error ?? address)),
    )
    expect(found).toEqual([{ address: '8.8.8.8', family: 4 }])
    expect(looked).toHaveLength(1)

    // The connection takes what this one lookup said, and asks nobody else.
    const answers = answering(['127.0.0.1'], ['192.0.2.1'])
    expect(await ask('files.example', true, answers)).toBe(200)
  })

  test('is made where private addresses are allowed, and keeps the name', async () => {
    expect(await ask('127.0.0.1', true)).toBe(200)
    expect(await ask('files.example', true, answering(['127.0.0.1']))).toBe(200)
    expect(calls).toEqual([`127.0.0.1:${port}`, `files.example:${port}`])
  })

  test('that cannot be looked up fails as such', async () => {
    expect(await ask('files.example', true, answering([]))).toBe('ENOTFOUND')
  })

  test('does not follow a redirect', async () => {
    expect(await ask('127.0.0.1', true, undefined, '/elsewhere')).toBe(302)
    expect(calls).toHaveLength(1)
  })
})

describe('a URL', () => {
  test.each([
    ['file:///etc/passwd'],
    ['ftp://files.example/a'],
    ['gopher://files.example/'],
    ['javascript:alert(1)'],
    ['not a URL'],
    ['https://user:secret@files.example/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['http://[::ffff:127.0.0.1]/'],
    ['http://2130706433/'],
    ['http://0177.0.0.1/'],
    ['http://127.1/'],
    ['http://localhost/'],
    ['http://localhost./'],
    ['http://metadata.google.internal/'],
    ['http://files.example:6379/'],
    ['https://files.example:22/'],
  ])('%s is refused', (url) => {
    expect(targetProblem(url, { allowPrivate: false })).toEqual(expect.any(String))
  })

  test.each([
    ['https://files.example/a.jpg?b=c'],
    ['http://files.example:8080/'],
    ['https://8.8.8.8/'],
  ])('%s is taken', (url) => {
    expect(targetProblem(url, { allowPrivate: false })).toBeUndefined()
  })

  test('of this machine is taken where private addresses are allowed, but no other scheme', () => {
    expect(targetProblem('http://127.0.0.1:9000/', { allowPrivate: true })).toBeUndefined()
    expect(targetProblem('file:///etc/passwd', { allowPrivate: true })).toBeDefined()
  })
})
