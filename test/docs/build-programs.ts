// The TypeScript and JavaScript of the documents as programs that node runs, built in one go.
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { runInstalled } from '../support/bundle-program.ts'
import type { Sample } from './read-samples.ts'

export interface Programs {
  /** The built program of a sample. */
  fileOf(sample: Sample): string
  /** What the compiler says of the types, with the documents' own lines. */
  checkTypes(): Promise<string>
}

/** `estafet/client` is taken from the sources: the copy has no build of its own. */
export async function buildPrograms(samples: Sample[], folder: string): Promise<Programs> {
  const sources = join(folder, '.samples')
  const client = join(folder, 'client', 'index.ts')
  const nameOf = ({ place }: Sample) => basename(place).replace(/\W+/g, '-')
  const extensionOf = ({ language }: Sample) => (language === 'ts' ? 'ts' : 'mjs')
  const fileOf = (sample: Sample) => join(sources, `${nameOf(sample)}.${extensionOf(sample)}`)
  mkdirSync(sources)
  for (const sample of samples) writeFileSync(fileOf(sample), sample.code)
  if (samples.length > 0) {
    await runInstalled('esbuild', [
      ...samples.map(fileOf),
      ...['--bundle', '--platform=node', '--format=esm', '--packages=external'],
      ...[`--alias:estafet/client=${client}`, `--outdir=${join(sources, 'built')}`],
      ...['--out-extension:.js=.mjs', '--log-level=error'],
    ])
  }
  return {
    fileOf: (sample) => join(sources, 'built', `${nameOf(sample)}.mjs`),
    async checkTypes() {
      const typed = samples.filter(({ language, note }) => language === 'ts' && note === '')
      if (typed.length === 0) return ''
      const project = join(sources, 'tsconfig.json')
      writeFileSync(
        project,
        JSON.stringify({
          extends: '../tsconfig.json',
          compilerOptions: { noEmit: true, paths: { 'estafet/client': [client] } },
          include: typed.map(fileOf),
        }),
      )
      return runInstalled('tsc', ['--project', project]).then(
        () => '',
        (error) => placesOf(String(error.stdout), typed, nameOf),
      )
    },
  }
}

/** `sending-md-40.ts(3,7)` is line 43 of docs/sending.md. */
function placesOf(text: string, samples: Sample[], nameOf: (sample: Sample) => string): string {
  let told = text
  for (const sample of samples) {
    const [file = '', line = ''] = sample.place.split(':')
    told = told.replace(
      new RegExp(`\\S*${nameOf(sample)}\\.ts\\((\\d+),`, 'g'),
      (_, within) => `${file}:${Number(line) + Number(within)} (`,
    )
  }
  return told
}
