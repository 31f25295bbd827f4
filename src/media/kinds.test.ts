import { describe, expect, test } from 'vitest'
import { beginsAs, detectType, kindOf, limitOf, takenTypes } from './kinds.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const heads: Record<string, Buffer> = {
  'image/jpeg': hex('ff d8 ff e0 00 10'),
  'image/png': hex('89 50 4e 47 0d 0a 1a 0a'),
  'image/webp': Buffer.from('RIFF\x22\0\0\0WEBPVP8 '),
  'application/pdf': Buffer.from('\r\n%PDF-1.7\n'),
  'audio/ogg': Buffer.from('OggS\0\x02'),
  'audio/amr': Buffer.from('#!AMR\n'),
  'audio/mpeg': Buffer.from('ID3\x04'),
  'audio/aac': hex('ff f1 50 80'),
  'audio/mp4': Buffer.from('\0\0\0\x20ftypM4A '),
  'video/mp4': Buffer.from('\0\0\0\x20ftypisom'),
  'video/3gpp': Buffer.from('\0\0\0\x20ftyp3gp4'),
  'application/msword': hex('d0 cf 11 e0 a1 b1 1a e1'),
  [office]: Buffer.from('PK\x03\x04'),
  'text/plain': Buffer.from('Dear Sir, <b>this</b> is text'),
}

describe('a file', () => {
  test.each(Object.entries(heads))('of type %s is known by its beginning', (type, head) => {
    expect(beginsAs(type, head)).toBe(true)
    const others = Object.keys(heads).filter((other) => other !== type && beginsAs(other, head))
    // Video and audio share a box, old and new documents share one each, and anything without a NUL may be text.
    const akin = ['audio/mp4', 'video/mp4', 'video/3gpp', 'text/plain']
    expect(others.filter((other) => !akin.includes(other))).toEqual([])
  })

  test('MPEG audio and AAC are told apart by the layer', () => {
    expect(beginsAs('audio/mpeg', hex('ff fb 90 00'))).toBe(true)
    expect(beginsAs('audio/aac', hex('ff fb 90 00'))).toBe(false)
    expect(beginsAs('audio/mpeg', hex('ff f1 50 80'))).toBe(false)
  })

  test.each([
    ['<!DOCTYPE html>'],
    ['  <html>'],
    ['<script>'],
    ['<svg xmlns="x">'],
    ['<?xml version="1.0"?>'],
    ['a\0b'],
  ])('that begins with %j is no plain text', (text) => {
    expect(beginsAs('text/plain', Buffer.from(text))).toBe(false)
  })

  test('without a type is recognised where there is no doubt', () => {
    expect(detectType(heads['image/png'] as Buffer)).toBe('image/png')
    expect(detectType(heads['video/mp4'] as Buffer)).toBeUndefined()
    expect(detectType(Buffer.from('MZ'))).toBeUndefined()
  })

  test.each([
    ['image/gif'],
    ['image/svg+xml'],
    ['text/html'],
    ['application/zip'],
    [''],
    ['__proto__'],
  ])('of type %s is not taken', (type) => {
    expect(kindOf(type)).toBeUndefined()
  })

  test('is taken up to what Meta says for its kind', () => {
    const none = Buffer.alloc(0)
    const moving = Buffer.from('RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02')
    expect(takenTypes.map((type) => kindOf(type))).not.toContain(undefined)
    expect(limitOf('image', none)).toBe(5 * 1024 * 1024)
    expect(limitOf('audio', none)).toBe(16 * 1024 * 1024)
    expect(limitOf('video', none)).toBe(16 * 1024 * 1024)
    expect(limitOf('document', none)).toBe(100 * 1024 * 1024)
    expect(limitOf('sticker', heads['image/webp'] as Buffer)).toBe(100 * 1024)
    expect(limitOf('sticker', moving)).toBe(500 * 1024)
  })
})
