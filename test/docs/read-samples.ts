// The fenced blocks of a document, with where they stand and what they say they print.

export interface Sample {
  /** As an editor takes it: docs/sending.md:12. */
  place: string
  language: string
  /** What the fence says behind the language: `elsewhere`, `fragment`. */
  note: string
  code: string
  /** The answer or output that stands right behind it. */
  expected?: Sample
}

const outputs = ['json', 'text']

export function readSamples(file: string, text: string): Sample[] {
  const lines = text.split('\n')
  const samples: Sample[] = []
  let before: { sample: Sample; end: number } | undefined
  for (let start = 0; start < lines.length; start++) {
    const [, indent, fence, info] = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(lines[start] ?? '') ?? []
    if (indent === undefined || fence === undefined || info === undefined) continue
    const end = lines.findIndex((line, at) => at > start && line.trim() === fence)
    if (end === -1) throw new Error(`${file}:${start + 1}: the block does not end`)
    const [language = '', ...notes] = info.trim().split(/\s+/)
    const sample: Sample = {
      place: `${file}:${start + 1}`,
      language,
      note: notes.join(' '),
      code: lines
        .slice(start + 1, end)
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n'),
    }
    const isBehind =
      before && lines.slice(before.end + 1, start).every((line) => line.trim() === '')
    if (before && isBehind && outputs.includes(language) && isRun(before.sample)) {
      before.sample.expected = sample
    }
    samples.push(sample)
    before = { sample, end }
    start = end
  }
  return samples
}

/** Whether it is a program that is run here. */
export const isRun = ({ language, note }: Sample) =>
  ['sh', 'ts', 'js'].includes(language) && note === ''
