import { posix, win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { attachmentHeader, plainFilename, safeFilename, servedType } from './filename.ts'
import { extensionsOf, mediaKinds, takenTypes } from './kinds.ts'

const id = '019a0000-0000-7000-8000-0123456789ab'
const nameOf = (given: string | null, mimeType = 'application/pdf') =>
  safeFilename(given, { kind: 'document', mimeType, id })

/** What people and attackers type, and everything else. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc.string({ unit: 'grapheme', maxLength: 400 }),
  fc
    .array(
      fc.constantFrom(
        '..',
        '/',
        '\\',
        '.',
        ' ',
        '\0',
        '\r\n',
        '"',
        '\u202e',
        'con',
        'LPT²',
        '%2e',
        'a',
        '\ud83d',
        ';',
        "'",
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
)
const anyFile = fc.record({
  kind: fc.constantFrom(...mediaKinds),
  mimeType: fc.oneof(
    fc.constantFrom(...takenTypes),
    fc.constantFrom('image/svg+xml', 'application/x-msdownload', '', 'x'),
  ),
  id: fc.uuid(),
})
/** A file of a type that has no extension of its own. */
const bytesFile = { kind: 'document', mimeType: 'x', id } as const

describe('a safe name', () => {
  test('has no path, nothing invisible, nothing with a meaning, and a length', () => {
    fc.assert(
      fc.property(fc.option(anyName), anyFile, (given, file) => {
        const name = safeFilename(given, file)
        expect(name).not.toBe('')
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(150)
        expect(posix.basename(name)).toBe(name)
        expect(win32.basename(name)).toBe(name)
        expect(name).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|%;]/u)
        expect(name).not.toMatch(/^[. ]|[. ]$/)
        expect(name.isWellFormed()).toBe(true)
        // Windows ignores the spaces at the end of what stands before the first dot.
        expect(name).not.toMatch(/^(?:con|nul|prn|aux|com[\d¹²³]|lpt[\d¹²³]) *(?:\.|$)/i)
        // The same again: it is as clean as it gets.
        expect(safeFilename(name, file)).toBe(name)
      }),
      {
        numRuns: times(500),
        // Both once became a reserved name when the spaces and dots before the extension were trimmed.
        examples: [
          ['con ..con', bytesFile],
          ['con ..%2e', bytesFile],
          // What an invisible character kept apart became another name the second time.
          ['\u0300\u0000\ufb1e', bytesFile],
          // It took a second, because the name was copied for every character that was cut off.
          ['x'.repeat(2_000), bytesFile],
        ],
      },
    )
  })

  test('ends as its type says, whatever it claims', () => {
    fc.assert(
      fc.property(anyName, fc.constantFrom(...takenTypes), (given, mimeType) => {
        const extension = nameOf(given, mimeType).split('.').at(-1)?.toLowerCase()
        expect(extensionsOf(mimeType)).toContain(extension)
      }),
      { numRuns: times(300) },
    )
  })

  test.each([
    ['Contract.pdf', 'Contract.pdf'],
    ['Vertrag Müller.PDF', 'Vertrag Müller.PDF'],
    ['契約書.pdf', '契約書.pdf'],
    ['../../etc/passwd', 'passwd.pdf'],
    ['C:\\Windows\\system32\\evil.exe', 'evil.exe.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe.pdf'],
    ['a"; filename="b.html', 'a__ filename=_b.html.pdf'],
    ['nul.pdf', 'document-456789ab.pdf'],
    ['nul .pdf', 'document-456789ab.pdf'],
    ['COM¹', 'document-456789ab.pdf'],
    ['lpt³ .tar.pdf', 'document-456789ab.pdf'],
    ['lpt⁴.pdf', 'lpt⁴.pdf'],
    ['console.pdf', 'console.pdf'],
    ['...', 'document-456789ab.pdf'],
    ['', 'document-456789ab.pdf'],
    [null, 'document-456789ab.pdf'],
    [`${'x'.repeat(400)}.pdf`, `${'x'.repeat(146)}.pdf`],
  ])('of %j is %j', (given, name) => {
    expect(nameOf(given)).toBe(name)
  })
})

test('of two thousand characters is cut in one go: a webhook may hold hundreds of them', () => {
  // With a copy for each character that is cut off, this takes longer than the time limit of any test.
  for (let count = 0; count < 5_000; count++) {
    expect(nameOf(`${'x'.repeat(1_990)}${count}`)).toBe(`${'x'.repeat(146)}.pdf`)
  }
})

describe('the header', () => {
  test('is one line of printable ASCII, quoted once, and tells the name to those who decode it', () => {
    fc.assert(
      fc.property(fc.option(anyName), anyFile, (given, file) => {
        const name = safeFilename(given, file)
        const header = attachmentHeader(name)
        const parts =
          /^attachment; filename="([^"\\]*)"; filename\*=UTF-8''([\w.~!#$&+^`|%-]*)$/.exec(header)
        expect(header).toMatch(/^[\x20-\x7e]+$/)
        expect(parts).not.toBeNull()
        expect(decodeURIComponent(parts?.[2] ?? '')).toBe(name)
      }),
      { numRuns: times(500) },
    )
  })

  test('stays one header for names that were never cleaned', () => {
    fc.assert(
      fc.property(anyName, (given) => {
        const header = attachmentHeader(given.toWellFormed())
        expect(header).toMatch(/^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[^"\s]*$/)
      }),
    )
  })
})

test('Meta is told a name of plain characters only', () => {
  fc.assert(
    fc.property(anyName, (given) => {
      expect(plainFilename(given)).toMatch(/^[A-Za-z0-9._ -]*$/)
    }),
  )
})

test('only types that run nothing are served under their own name', () => {
  expect(servedType('image/jpeg')).toBe('image/jpeg')
  expect(servedType('Audio/OGG; codecs=opus')).toBe('audio/ogg')
  for (const type of [
    'text/html',
    'image/svg+xml',
    'application/xhtml+xml',
    'text/xml',
    'application/javascript',
    '__proto__',
    'constructor',
    '',
  ]) {
    expect(servedType(type)).toBe('application/octet-stream')
  }
})
