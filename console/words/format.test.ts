// Times, lengths and numbers as people of each language write them, wherever they are.
import { describe, expect, test } from 'vitest'
import { createFormat } from './format.ts'

const languages = ['en', 'es', 'pt', 'id'] as const
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** Monday, shortly before midnight in London, and already Tuesday further east. */
const now = new Date('2026-11-16T23:30:00Z')
const earlier = (ms: number) => new Date(now.getTime() - ms)
/** Intl puts narrow and unbreakable spaces where they belong; here they only hinder reading. */
const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
const inAll = (say: (format: ReturnType<typeof createFormat>) => string, zone = 'Europe/London') =>
  languages.map((language) => plain(say(createFormat(language, zone))))

describe('a length of time', () => {
  test.each([
    [-1, ['0 s', '0 s', '0 s', '0 dtk']],
    [18_999, ['18 s', '18 s', '18 s', '18 dtk']],
    [41 * minute + 59_000, ['41 min', '41 min', '41 min', '41 mnt']],
    [hour, ['1 h', '1 h', '1 h', '1 j']],
    [3 * hour + 12 * minute, ['3 h 12 min', '3 h 12 min', '3 h 12 min', '3 j 12 mnt']],
    [2 * day, ['2 d', '2 d', '2 d', '2 hr']],
    [2 * day + 5 * hour, ['2 d 5 h', '2 d 5 h', '2 d 5 h', '2 hr 5 j']],
    [1234 * day, ['1,234 d', '1,234 d', '1.234 d', '1.234 hr']],
  ])('of %d ms has at most two units', (ms, said) => {
    expect(inAll(({ length }) => length(ms))).toEqual(said)
  })

  test('is told from now, back and on', () => {
    expect(inAll(({ ago }) => ago(earlier(9_999), now))).toEqual([
      'now',
      'ahora',
      'agora',
      'baru saja',
    ])
    expect(inAll(({ ago }) => ago(earlier(4 * minute), now))).toEqual([
      '4 min ago',
      'hace 4 min',
      'há 4 min',
      '4 mnt lalu',
    ])
    // A clock that is a little ahead of ours says nothing of the future.
    expect(inAll(({ ago }) => ago(earlier(-5_000), now))[0]).toBe('now')
    expect(inAll(({ until }) => until(earlier(-4 * minute), now))).toEqual([
      'in 4 min',
      'en 4 min',
      'em 4 min',
      'dalam 4 mnt',
    ])
    // How months are cut short is for the languages, which change their mind now and then.
    for (const text of inAll(({ ago }) => ago(earlier(day), now))) {
      expect(text).toMatch(/^15 (de )?nov\.? (de )?2026$/i)
    }
  })

  test('of a call has the unit that suits it', () => {
    const said = (ms: number) => inAll(({ latency }) => latency(ms))
    expect(said(402.4)).toEqual(['402 ms', '402 ms', '402 ms', '402 md'])
    expect(said(1849)).toEqual(['1.8 s', '1.8 s', '1,8 s', '1,8 dtk'])
    expect(said(61_000)).toEqual(['1 min', '1 min', '1 min', '1 mnt'])
  })
})

describe('a day', () => {
  test('begins where the person is', () => {
    const format = (zone: string) => createFormat('en', zone)
    const late = '2026-11-16T23:10:00Z'
    expect(format('Europe/London').dayOf(late)).toBe('2026-11-16')
    expect(format('Asia/Jakarta').dayOf(late)).toBe('2026-11-17')
    expect(format('America/Sao_Paulo').dayOf('2026-11-16T02:59:59Z')).toBe('2026-11-15')
    expect(format('America/Sao_Paulo').dayOf('2026-11-16T03:00:00Z')).toBe('2026-11-16')
  })

  test('is today, yesterday, or has a name', () => {
    const said = (at: string, zone?: string) => inAll(({ day: name }) => name(at, now), zone)
    expect(said('2026-11-16T00:00:00Z')).toEqual(['Today', 'Hoy', 'Hoje', 'Hari ini'])
    expect(said('2026-11-15T23:59:59Z')).toEqual(['Yesterday', 'Ayer', 'Ontem', 'Kemarin'])
    // The same moments, seven hours further east.
    expect(said('2026-11-16T16:59:59Z', 'Asia/Jakarta')[0]).toBe('Yesterday')
    expect(said('2026-11-16T17:00:00Z', 'Asia/Jakarta')[0]).toBe('Today')
    const [english, spanish, portuguese, indonesian] = said('2026-11-14T12:00:00Z')
    expect(english).toMatch(/^Saturday,? 14 November$/)
    expect(spanish).toMatch(/^sábado,? 14 de noviembre$/)
    expect(portuguese).toMatch(/^sábado, 14 de novembro$/)
    expect(indonesian).toMatch(/^Sabtu,? 14 November$/)
    const months = ['December', 'diciembre', 'dezembro', 'Desember']
    for (const [index, text] of said('2025-12-31T12:00:00Z').entries()) {
      expect(text).toMatch(new RegExp(`^31 (de )?${months[index]} (de )?2025$`))
    }
  })

  test('of a row is short: the time today, then the day', () => {
    const said = (at: string, zone?: string) => inAll(({ short }) => short(at, now), zone)
    expect(said('2026-11-16T08:05:00Z')).toEqual(['08:05', '08:05', '08:05', '08.05'])
    expect(said('2026-11-16T22:05:00Z', 'Asia/Jakarta')[3]).toBe('05.05')
    expect(said('2026-11-15T08:05:00Z')[1]).toBe('Ayer')
    for (const text of said('2026-03-02T08:05:00Z')) expect(text).toMatch(/^2 (de )?mar\.?$/i)
    expect(said('2024-03-02T08:05:00Z')[0]).toBe('2 Mar 2024')
  })

  test('that has 23 or 25 hours does not hide yesterday', () => {
    const { day: name } = createFormat('en', 'Europe/London')
    expect(name('2026-03-28T12:00:00Z', '2026-03-29T12:00:00Z')).toBe('Yesterday')
    expect(name('2026-10-24T12:00:00Z', '2026-10-25T12:00:00Z')).toBe('Yesterday')
    // Shortly after midnight of the day after the clocks went back or on.
    expect(name('2026-10-25T12:00:00Z', '2026-10-26T00:30:00Z')).toBe('Yesterday')
    expect(name('2026-10-25T12:00:00Z', '2026-10-26T23:30:00Z')).toBe('Yesterday')
    expect(name('2026-03-29T12:00:00Z', '2026-03-29T23:30:00Z')).toBe('Yesterday')
    expect(name('2026-03-29T12:00:00Z', '2026-03-30T22:30:00Z')).toBe('Yesterday')
  })
})

test('a time has 24 hours, and seconds where they matter', () => {
  const at = '2026-11-16T13:04:05Z'
  expect(inAll(({ time }) => time(at))).toEqual(['13:04', '13:04', '13:04', '13.04'])
  expect(inAll(({ time }) => time('2026-11-16T00:04:05Z'))[0]).toBe('00:04')
  expect(inAll(({ timeWithSeconds }) => timeWithSeconds(at))).toEqual([
    '13:04:05',
    '13:04:05',
    '13:04:05',
    '13.04.05',
  ])
})

test('the exact time names day, time and zone', () => {
  const said = inAll(({ exact }) => exact('2026-11-16T13:04:05Z'), 'Asia/Jakarta')
  for (const text of said) {
    expect(text).toMatch(/2026/)
    expect(text).toMatch(/20[:.]04[:.]05/)
    expect(text).toMatch(/WIB|GMT\+7/)
  }
  expect(said[0]).toContain('Monday')
  expect(said[3]).toContain('Senin')
})

test('numbers, shares and sizes', () => {
  expect(inAll(({ number }) => number(1_234_567))).toEqual([
    '1,234,567',
    '1,234,567',
    '1.234.567',
    '1.234.567',
  ])
  expect(inAll(({ percent }) => percent(0.9876))).toEqual(['98.8 %', '98.8 %', '98,8 %', '98,8 %'])
  expect(inAll(({ bytes }) => bytes(999))[0]).toBe('999 B')
  expect(inAll(({ bytes }) => bytes(1_499))[0]).toBe('1 kB')
  expect(inAll(({ bytes }) => bytes(5_250_000))).toEqual(['5.3 MB', '5.3 MB', '5,3 MB', '5,3 MB'])
})
