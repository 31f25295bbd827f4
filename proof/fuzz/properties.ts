// The property tests that stand beside the code, with more cases and another seed than `npm test` gives them. What they find is a
// defect: it becomes one of the property's `examples` in the commit that puts it right.
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../../test/support/after-file.ts'

interface PropertiesOptions {
  seed: number
  /** How many times the cases of `npm test`. */
  factor: number
  /** When to stop, on the monotonic clock. */
  untilMs: number
}

interface Report {
  numPassedTests: number
  testResults: {
    name: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Returns how many tests ran, and what they found; a run that the time ended found nothing. */
export async function runProperties({ seed, factor, untilMs }: PropertiesOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'estafet-properties-'))
  const report = join(folder, 'report.json')
  const noLimit = ['--testTimeout=86400000', '--hookTimeout=600000']
  const args = ['run', '--reporter=json', `--outputFile=${report}`, ...noLimit]
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...args, ...(await propertyFiles())],
    {
      cwd: packageRoot,
      // biome-ignore lint/style/noProcessEnv: vitest needs the environment of this process.
      env: { ...process.env, SEED: String(seed), CASES: String(factor) },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  afterFile(async () => {
    child.kill('SIGTERM')
    await ended
  })
  const timer = setTimeout(() => child.kill('SIGTERM'), Math.min(untilMs - performance.now(), 2e9))
  await ended
  clearTimeout(timer)
  const text = await readFile(report, 'utf8').catch(() => undefined)
  await rm(folder, { recursive: true })
  if (text === undefined) {
    const isOutOfTime = performance.now() >= untilMs
    return { ran: 0, failures: isOutOfTime ? [] : ['vitest ended without a report'] }
  }
  return read(JSON.parse(text))
}

function read({ numPassedTests, testResults }: Report) {
  const failures = testResults.flatMap(({ name, message, assertionResults }) => [
    ...(assertionResults.length === 0 ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(
        ({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages.join('\n')}`,
      ),
  ])
  return { ran: numPassedTests + failures.length, failures }
}

/** Every test file of the product that states a property. */
async function propertyFiles(): Promise<string[]> {
  const files: string[] = []
  for (const folder of ['src', 'simulator']) {
    const names = await readdir(join(packageRoot, folder), { recursive: true })
    for (const name of names.filter((one) => one.endsWith('.test.ts'))) {
      const text = await readFile(join(packageRoot, folder, name), 'utf8')
      if (/\bfc\.(assert|check)\(/.test(text)) files.push(join(folder, name))
    }
  }
  return files
}
