// That what tries the documents can fail: a sample that is wrong in any way is named with its place.
import { describe, expect, test } from 'vitest'
import { createTestFolder } from '../support/folder.ts'
import { troubleOf, unwatched } from './check-sample.ts'
import { differenceOf } from './expect-output.ts'
import { readSamples, type Sample } from './read-samples.ts'
import { isNotForTests, runDocument } from './run-document.ts'

const fence = '```'
const block = (info: string, code: string) => `${fence}${info}\n${code}\n${fence}`
const read = (...parts: string[]) => readSamples('docs/page.md', parts.join('\n\n'))

const run = (...parts: string[]) =>
  runDocument(read(...parts), {
    folder: createTestFolder(),
    environment: { PATH: '/usr/bin:/bin' },
    fileOf: () => 'nowhere',
  })

describe('blocks are read', () => {
  test('with their place, what stands behind the language, and without the indent of a list', () => {
    const [first, second] = read(
      '# Page',
      block('sh elsewhere', 'one\ntwo'),
      '   ```json\n   {}\n   ```',
    )
    expect(first).toEqual({
      place: 'docs/page.md:3',
      language: 'sh',
      note: 'elsewhere',
      code: 'one\ntwo',
    })
    expect(second).toMatchObject({ place: 'docs/page.md:8', language: 'json', code: '{}' })
  })

  test('output is what stands right behind a program', () => {
    const [program] = read(block('sh', 'echo 1'), block('text', '1'))
    expect(program?.expected?.code).toBe('1')
    const [apart] = read(block('sh', 'echo 1'), 'Some words.', block('text', '1'))
    expect(apart?.expected).toBeUndefined()
  })

  test('one that does not end is refused', () => {
    expect(() => read(`${fence}sh\necho`)).toThrow('docs/page.md:1: the block does not end')
  })
})

describe('a block is refused', () => {
  test.each([
    ['', 'anything', 'the block has no language'],
    ['cobol', 'STOP RUN.', 'nobody checks cobol'],
    ['sh sometimes', 'true', 'what is “sometimes”?'],
    ['sh elsewhere', 'if true', 'yntax error'],
    ['json', '{', 'JSON'],
    ['yaml', 'a: [', 'Flow sequence'],
    ['ini', 'no key here', 'is not INI'],
    ['python', 'print(1)', 'nobody checks python'],
  ])('%s', (info, code, problem) => {
    expect(read(block(info, code)).map(troubleOf)[0]).toContain(problem)
  })

  test('when it mixes what cannot be run here with what can', () => {
    const [mixed] = read(block('sh', 'npm run dev\ncurl localhost'))
    expect(() => isNotForTests(mixed as Sample)).toThrow('docs/page.md:1: a command')
  })
})

describe('a call', () => {
  const call = 'call() {\n  curl -s "$@"\n}'
  test.each([
    ['curl -s x', false],
    ['word=$(curl -s x)', false],
    ['until curl -s x; do sleep 1; done', false],
    ['curl -s x | grep -q y', true],
    ['curl -s x >y\ntest -s y', true],
    [call, true],
    [`${call}\ncall x`, false],
    ['echo a call x', true],
  ])('%s: its answer is looked at: %s', (code, isWatched) => {
    expect(unwatched(read(block('sh', code)))).toHaveLength(isWatched ? 0 : 1)
    expect(unwatched(read(block('sh', code), block('json', '{}')))).toEqual([])
    expect(unwatched(read(block('sh elsewhere', code)))).toEqual([])
  })

  test('may be of a function that stands in a block above', () => {
    expect(unwatched(read(block('sh', call), block('sh', 'call x')))).toHaveLength(1)
  })
})

describe('a document', () => {
  test('runs in one shell, in order', async () => {
    expect(
      await run(block('sh', 'word=hello'), block('sh', 'echo "$word"'), block('text', 'hello')),
    ).toEqual([])
  })

  test('waits seconds for minutes, and sends 65 for a thousand', async () => {
    const code = 'sleep 120\nseq 2000 2999 | wc -l; seq 1 12 | wc -l'
    expect(await run(block('sh', code), block('text', '65 12'))).toEqual([])
  })

  test('is told where it failed, with what was printed', async () => {
    const [trouble] = await run(
      block('sh', 'true'),
      block('sh', 'echo so >&2\nexit 3'),
      block('sh', 'true'),
    )
    expect(trouble).toBe('docs/page.md:5 ended with 3\nso\n')
  })

  test('fails on a variable that is not set', async () => {
    expect((await run(block('sh', 'echo "$NOBODY"')))[0]).toContain('docs/page.md:1 ended with 2')
  })

  test('is told of every output that is not as it says', async () => {
    const troubles = await run(
      ...[block('sh', 'echo 1'), block('text', '2')],
      ...[block('sh', 'echo 3'), block('text', '…')],
      ...[block('sh', 'echo {}'), block('json', '{ "id": "…" }')],
    )
    expect(troubles).toHaveLength(2)
    expect(troubles[0]).toContain('docs/page.md:5 says\n2\nbut what came is\n1')
  })
})

describe('JSON is as shown', () => {
  const isSo = (shown: string, printed: string) => {
    const expected = { place: '', language: 'json', note: '', code: shown }
    return differenceOf({ ...expected, expected }, printed) === undefined
  }
  test.each([
    ['{"a": 1}', '{"a":1,"b":2}', true],
    ['{"a": 1}', '{"a":2}', false],
    ['{"a": "…"}', '{"a":null}', true],
    ['{"a": "…"}', '{}', false],
    ['{"id": "msg_…"}', '{"id":"msg_1"}', true],
    ['{"id": "msg_…"}', '{"id":"conv_1"}', false],
    ['[{"a": 2}]', '[{"a":1},{"a":2}]', true],
    ['[{"a": 3}]', '[{"a":1},{"a":2}]', false],
    ['[]', '{}', false],
    ['{"a": null}', '{"a":null}', true],
    ['{"a": {}}', 'not JSON', false],
  ])('%s of %s: %s', (shown, printed, isAsShown) => {
    expect(isSo(shown, printed)).toBe(isAsShown)
  })
})
