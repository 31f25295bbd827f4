// What the API says of a field, in the person's language. What is not listed is said as the API says it.
import { useFormat, useWords } from '../../../words/language.tsx'
import { editorWords } from './words.ts'

type Known = keyof (typeof editorWords)['en']['problems']

const known: [RegExp, Known][] = [
  [/^a text is required$|^required/, 'required'],
  [/^at most (\d+) characters$/, 'tooLong'],
  [/^must not begin or end with a parameter$/, 'atTheEdge'],
  [/^a header can have one parameter$/, 'oneInHeader'],
  [/ha(s|ve) no parameters$/, 'none'],
  [/^named parameters have/, 'names'],
  [/^parameters are numbered/, 'numbers'],
  [/^an example/, 'example'],
  [/^a sample is required/, 'sample'],
  [/^must be an http/, 'url'],
  [/^can have one parameter/, 'urlVariable'],
  [/^a number with its country code/, 'phone'],
  [/^lower-case letters, digits and underscores$/, 'name'],
]

export function useProblemWords(): (problem: string | undefined) => string | undefined {
  const { problems } = useWords(editorWords)
  const format = useFormat()
  return (problem) => {
    if (problem === undefined) return undefined
    for (const [pattern, name] of known) {
      const [matched, amount] = pattern.exec(problem) ?? []
      if (matched === undefined) continue
      return name === 'tooLong' ? problems.tooLong(format.number(Number(amount))) : problems[name]
    }
    return problem
  }
}
