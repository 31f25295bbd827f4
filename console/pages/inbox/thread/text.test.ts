import { describe, expect, test } from 'vitest'
import { beginningOf, type Piece, parseText, plainName, safeHref } from './text.ts'

/** `<b>`, `<i>` … as one would say it, to read the cases at a glance. */
const said = (pieces: Piece[]): string =>
  pieces
    .map((piece) => {
      if (piece.kind === 'text') return piece.text
      if (piece.kind === 'link') return `[${piece.text}](${piece.href})`
      if (piece.kind === 'mono') return `{${piece.isBlock ? 'block ' : ''}${piece.text}}`
      return `<${piece.kind} ${said(piece.pieces)}>`
    })
    .join('')

describe('WhatsApp’s marks', () => {
  test.each([
    ['*bold* and _italic_ and ~gone~', '<bold bold> and <italic italic> and <strike gone>'],
    ['*bold with _italic_ in it*', '<bold bold with <italic italic> in it>'],
    ['```let a = *b*```', '{let a = *b*}'],
    ['```a\nb```', '{block a\nb}'],
    ['`code` here', '{code} here'],
    ['(*yes*), *no*!', '(<bold yes>), <bold no>!'],
  ])('%s', (text, expected) => expect(said(parseText(text))).toBe(expected))

  test.each([
    '2 * 3 * 4',
    'snake_case_name',
    '*not closed',
    '* not opened*',
    '**',
    '*over\nlines*',
    '`',
    '```   ```',
  ])('are left alone in %j', (text) => expect(said(parseText(text))).toBe(text))

  test('are looked for in a time that grows with the text, not with its square', () => {
    const text = '*a _b ~c '.repeat(20_000)
    expect(said(parseText(text))).toBe(text)
  })
})

describe('links', () => {
  test.each([
    [
      'see https://firm.example/a_b_c.',
      'see [https://firm.example/a_b_c](https://firm.example/a_b_c).',
    ],
    ['(www.firm.example)', '([www.firm.example](https://www.firm.example/))'],
    ['https://x.example/a_(b)', '[https://x.example/a_(b)](https://x.example/a_(b))'],
    ['mailto:mara@firm.example', '[mailto:mara@firm.example](mailto:mara@firm.example)'],
    ['tel:+16505550143', '[tel:+16505550143](tel:+16505550143)'],
    ['*https://x.example*', '<bold [https://x.example](https://x.example/)>'],
  ])('%s', (text, expected) => expect(said(parseText(text))).toBe(expected))

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt://x.example/%0aalert(1)',
    'data:text/html,<script>1</script>',
    'vbscript:msgbox',
    'file:///etc/passwd',
    'https://',
    'xhttps://x.example',
  ])('%s is none', (text) => {
    expect(said(parseText(text))).toBe(text)
    expect(safeHref(text)).toBeUndefined()
  })
})

test('a filename cannot be turned around', () => {
  expect(plainName('bill\u202efdp.exe')).toBe('billfdp.exe')
  expect(plainName('\u2066\u200fa\u2069')).toBe('a')
})

describe('the beginning of a long text', () => {
  test('is given when it is long, or has many lines', () => {
    expect(beginningOf('x'.repeat(100_000))).toHaveLength(1200)
    expect(beginningOf('a\n'.repeat(40))?.split('\n')).toHaveLength(16)
  })
  test('is not given when all of it can be shown', () => {
    expect(beginningOf('hello\nthere')).toBeUndefined()
  })
  test('ends with a whole character', () => {
    expect(beginningOf(`${'x'.repeat(1199)}😀${'x'.repeat(10)}`)?.isWellFormed()).toBe(true)
  })
})
