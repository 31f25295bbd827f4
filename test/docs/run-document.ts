// Runs the programs of a document in its order, in one shell, and says which of them did not do what the document says.
import { spawn } from 'node:child_process'
import { differenceOf } from './expect-output.ts'
import { isRun, type Sample } from './read-samples.ts'

export interface Place {
  folder: string
  environment: Record<string, string>
  fileOf(sample: Sample): string
}

/** What starts everything, in every document. */
export const startCommand = 'npm ci && npm run dev'

/** Nothing prints this character; behind it stands which sample begins. */
const mark = '\u001e'

/** What went wrong; nothing when everything ran and printed what is said. */
export async function runDocument(samples: Sample[], place: Place): Promise<string[]> {
  const programs = samples.filter((sample) => isRun(sample) && !isNotForTests(sample))
  const script = programs.flatMap((sample, index) => [
    `printf '\\n${mark}%s\\n' ${index}; printf '\\n${mark}%s\\n' ${index} >&2`,
    sample.language === 'sh' ? untilEnough(sample.code) : `node '${place.fileOf(sample)}'`,
  ])
  const { code, stdout, stderr } = await runShell(['-euc', script.join('\n')], place)
  const [printed, complained] = [partsOf(stdout), partsOf(stderr)]
  if (code !== 0) {
    const at = programs[printed.length - 1]?.place ?? 'the shell'
    return [
      `${at} ${code === null ? 'did not end' : `ended with ${code}`}\n${printed.at(-1) ?? ''}${complained.at(-1) ?? stderr}`,
    ]
  }
  return programs.flatMap((sample, index) => {
    const difference = differenceOf(sample, printed[index] ?? '')
    return difference === undefined ? [] : [difference]
  })
}

const partsOf = (text: string) =>
  text
    .split(mark)
    .slice(1)
    .map((part) => part.slice(part.indexOf('\n') + 1))

/** These end when somebody stops them, run for minutes, or run this very test. */
const isLong = (command: string) =>
  /^npm (ci|test|start)\b/.test(command) ||
  /^npm run (dev|lint|types|imports|format|build|bench|test:\w+)\b/.test(command) ||
  /^(npx |npm run )?estafet (-- )?(start|dev|simulator|bench)\b/.test(command)

/** They are not run, and stand with nothing but their like. */
export function isNotForTests({ code, place, language }: Sample): boolean {
  const commands = code
    .split('\n')
    .map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '')
  if (language !== 'sh' || !commands.some(isLong)) return false
  if (commands.every(isLong)) return true
  throw new Error(
    `${place}: a command that does not end, or runs tests, stands in a block of its own`,
  )
}

/** A stream goes on for as long as a program reads it: here until it has named a place, for a second where the machine is quick.
 *  Minutes are seconds here, and a thousand is 65: enough for
 *  fifty to wait (docs/manual-test.md) after half a minute in which two leave every five seconds. */
function untilEnough(code: string): string {
  if (code.startsWith('curl -N ')) {
    const forSeconds = code.replace('curl -N', 'curl -sN --max-time $seconds')
    return `for seconds in 1 10 60; do
${forSeconds} >.streamed || [ $? -eq 28 ]
if grep -q '^id: ' .streamed; then break; fi
done; cat .streamed`
  }
  return code
    .replace(/\bsleep \d{2,}\b/g, 'sleep 3')
    .replace(/\bseq (\d+) (\d+)\b/g, (_, first, last) =>
      ['seq', first, Math.min(Number(last), Number(first) + 64)].join(' '),
    )
}

export async function runShell(
  args: string[],
  { folder, environment }: Pick<Place, 'folder' | 'environment'>,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn('sh', args, {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    // Less than the limit of the tests that read documents (180 s), so that the failure shows what was printed.
    timeout: 170_000,
    killSignal: 'SIGKILL',
  })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text) => {
      written[name] += text
    })
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, ...written }
}
