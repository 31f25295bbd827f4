// The short part of `npm run test:fuzz`: everything that reads what strangers wrote, in this process.
import { pbkdf2Sync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { seed } from '../../test/support/chance.ts'
import { bytesKind } from './bytes.ts'
import { decoders } from './cursor-readers.ts'
import { diceOf } from './dice.ts'
import { kindNames } from './kind.ts'
import { readers } from './readers.ts'
import { corpusFiles, missedBy, runKind, toldOf } from './run.ts'

test(`12 000 inputs that nobody expects are read or refused (SEED=${seed})`, async () => {
  const kind = bytesKind()
  const result = await runKind(kind, { seed, cases: { count: 12_000 }, stall: { limitMs: 1_000 } })

  expect(toldOf(result)).toEqual([])
  expect(missedBy(kind, result)).toEqual([])
  expect([...kind.counts().keys()].sort()).toEqual(readers.map(({ name }) => name).sort())
})

test('good input is read', async () => {
  for (const { read, samples } of readers) {
    for (const sample of samples) {
      // A cursor of nothing, and a signature that is none, are refused; that is not told here.
      expect(await read(sample)).toBeUndefined()
    }
  }
})

describe('a reader that', () => {
  const options = { seed, cases: { count: 3_000 }, withCorpus: false }
  const sample = Buffer.from('{"a":[1,2,3],"b":"a text that is somewhat longer"}')

  test('throws is found, and what it throws for is made small', async () => {
    const broken = (bytes: Buffer) => {
      if (bytes.includes('\0')) throw new TypeError('a planted fault')
      return undefined
    }
    const kind = bytesKind([{ name: 'planted', samples: [sample], isJson: true, read: broken }])
    const { failures } = await runKind(kind, options)

    expect(failures.length).toBeGreaterThan(0)
    expect(failures[0]?.problem).toContain('a planted fault')
    expect(failures[0]?.case).toEqual({ reader: 'planted', bytes: Buffer.from('\0') })
  })

  test('says what is wrong, later, is found too', async () => {
    const wrong = async (bytes: Buffer) => (bytes.length === 0 ? 'nothing at all' : undefined)
    const kind = bytesKind([{ name: 'planted', samples: [sample], read: wrong }])
    const { failures } = await runKind(kind, options)

    expect(failures.map(({ problem }) => problem)).toContain('planted: nothing at all')
  })
})

test('a reader that keeps the event loop busy is found, unless anybody would', async () => {
  const sample = Buffer.from('{"a":[1,2,3],"b":"a text that is somewhat longer"}')
  let slow: Buffer | undefined
  const read = (bytes: Buffer) => {
    // The same amount of work wherever it is done: far more than what is allowed here.
    if (slow?.equals(bytes)) pbkdf2Sync('planted', 'fault', 1_000_000, 64, 'sha512')
    return undefined
  }
  const kind = bytesKind([{ name: 'planted', samples: [sample], read }])
  const caseOf = (number: number) => kind.make(diceOf(seed, number), number)
  slow = caseOf(17).bytes
  const sameAsSlow = [...Array(40).keys()].filter((number) => slow?.equals(caseOf(number).bytes))
  const options = { seed, cases: { count: 40 }, withCorpus: false, stall: { limitMs: 50 } }

  const { failures } = await runKind(kind, options)
  expect(failures.map(({ number }) => number)).toEqual(sameAsSlow)
  expect(failures[0]?.problem).toContain('the event loop was busy for')
  const anybody = { ...kind, leastMs: () => 1e6 }
  expect((await runKind(anybody, options)).failures).toEqual([])
})

test('whoever decodes a cursor is among those who are tried', () => {
  const files = readdirSync(join(packageRoot, 'src'), { recursive: true, encoding: 'utf8' })
  const decoding = files
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) =>
      /Buffer\.from\([^()]+, 'base64url'\)/.test(readFileSync(join(packageRoot, file), 'utf8')),
    )
  expect(decoding.sort()).toEqual(decoders.map(({ file }) => file).sort())
})

test('every case that is kept belongs to a kind', () => {
  const isOfAKind = (file: string) => kindNames.some((name) => file.startsWith(`${name}-`))
  expect(corpusFiles().filter((file) => !isOfAKind(file))).toEqual([])
})

test('a run that has no time left makes one portion of cases, and no more', async () => {
  const options = { seed, cases: { count: 5_000 }, untilMs: 0 }
  expect((await runKind(bytesKind(), options)).made).toBe(2_000)
})

test('one case can be had again by its number alone', async () => {
  const kind = bytesKind()
  const made = (number: number) => kind.make(diceOf(seed, number), number)

  expect(made(17)).toEqual(made(17))
  expect(made(17)).not.toEqual(made(18))
  expect((await runKind(kind, { seed, cases: { only: 17 } })).ran).toBe(1)
})
