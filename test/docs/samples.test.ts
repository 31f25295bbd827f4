// Every code sample of the documents is run, in order, against what `npm run dev` starts in a fresh copy of the project; the
// README and getting-started word by word. Beside them, scripts/manual-test.sh runs against the same gateway.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { settings } from '../../src/config-table.ts'
import { connect } from '../../src/db/connect.ts'
import { runningEmbeddedUrl } from '../../src/db/embedded.ts'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../support/after-file.ts'
import { testPatience } from '../support/database.ts'
import { until } from '../support/program.ts'
import { buildPrograms, type Programs } from './build-programs.ts'
import { troubleOf, unwatched } from './check-sample.ts'
import { isLike } from './expect-output.ts'
import { copyProject, type ProjectCopy } from './project-copy.ts'
import { readSamples, type Sample } from './read-samples.ts'
import { runDocument, runShell, startCommand } from './run-document.ts'

/** Followed word by word, with the real npm. */
const literal = ['README.md', 'docs/getting-started.md']

const documents = [
  ...literal,
  ...readdirSync(join(packageRoot, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'examples/README.md',
  'simulator/scenarios/README.md',
  'simulator/cloud-tasks/README.md',
].filter((name, at, all) => all.indexOf(name) === at && existsSync(join(packageRoot, name)))

const samplesOf = (document: string) =>
  readSamples(document, readFileSync(join(packageRoot, document), 'utf8'))

const all = documents.flatMap(samplesOf)
const inLanguage = (...languages: string[]) =>
  all.filter(({ language }) => languages.includes(language))

/** What the samples are written in. */
const missing = ['curl', 'openssl'].filter(
  (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
)
const hint = missing.length === 0 ? '' : ` (\`apt-get install ${missing.join(' ')}\` enables it)`

test('every block has a language, and is well formed in it', () => {
  expect(all.map(troubleOf).filter((trouble) => trouble !== undefined)).toEqual([])
  expect(all.length).toBeGreaterThan(20)
})

test('every call that is run has its answer looked at', () => {
  expect(documents.flatMap((document) => unwatched(samplesOf(document)))).toEqual([])
})

// The manual test waits for a back-off in real time, and the programs of all documents are built first.
const patient = { timeout: 180_000 }

describe.skipIf(missing.length > 0)(`what is written runs${hint}`, patient, () => {
  let copy: ProjectCopy
  let programs: Programs
  let manualTest: ReturnType<typeof runShell>
  let printedByDev: string

  beforeAll(async () => {
    copy = await copyProject()
    programs = await buildPrograms(inLanguage('ts', 'js'), copy.folder)
    const start = samplesOf('README.md').find(({ code }) => code.trim() === startCommand)
    if (!start) throw new Error(`README.md does not say ${startCommand}`)
    // `npm ci` is what copyProject stands for.
    printedByDev = await copy.startDev(start.code.replace('npm ci && ', ''))
    const place = { folder: copy.folder, environment: copy.environment('quick') }
    await until('the first customer has written', async () => {
      const ask =
        '. .estafet/dev.env; curl -s -H "Authorization: Bearer $ESTAFET_KEY" "$ESTAFET_URL/api/whatsapp/conversations?q=$CUSTOMER"'
      return (await runShell(['-c', ask], place)).stdout.includes('"window_expires_at":"')
    })
    // Beside the documents: it mostly waits, and has numbers of its own.
    manualTest = runShell(['scripts/manual-test.sh', '--quick'], place)
  }, patient.timeout)

  test('README.md shows what dev prints', () => {
    const [shown] = samplesOf('README.md').filter(({ language }) => language === 'text')
    const welcome = printedByDev.slice(printedByDev.indexOf('Estafet  '))
    // Here the ports are whatever is free.
    const told = [
      [/^Estafet +http.*:(\d+)$/m, settings.port.default],
      [/^Simulated Meta http.*:(\d+)$/m, settings.simulatorPort.default],
    ].reduce((text, [form, port]) => {
      const free = new RegExp(form ?? '', 'm').exec(welcome)?.[1]
      return text.replaceAll(`127.0.0.1:${free}`, `127.0.0.1:${port}`)
    }, welcome)
    expect(isLike(shown?.code ?? '', told), `${shown?.code}\n\nbut dev prints\n\n${told}`).toBe(
      true,
    )
  })

  test.each(documents)('%s prints what it says', async (document) => {
    // What it starts strikes everybody.
    if (document === 'simulator/scenarios/README.md') await manualTest
    const environment = copy.environment(literal.includes(document) ? 'literal' : 'quick')
    const place = { folder: copy.folder, environment, fileOf: programs.fileOf }
    expect((await runDocument(samplesOf(document), place)).join('\n\n')).toBe('')
  })

  test('TypeScript has the right types', async () => {
    expect(await programs.checkTypes()).toBe('')
  })

  test('SQL runs on a migrated database', async () => {
    const url = await runningEmbeddedUrl(join(copy.folder, '.estafet'))
    if (url === undefined) throw new Error('there is no database')
    const db = connect({ url, name: 'test', poolSize: 1, ...testPatience })
    afterFile(() => db.close())
    for (const sample of inLanguage('sql')) {
      await db
        .session((session) => session.script(`begin; ${asIfNew(sample)}\n${sample.code}; rollback`))
        .catch((error) => Promise.reject(new Error(`${sample.place}: ${error.message}`)))
    }
  })

  test('every step of the manual test passes', async () => {
    const { code, stdout, stderr } = await manualTest
    expect(stdout + stderr).not.toMatch(/^ *\d+ {2}FAIL/m)
    expect(stdout.match(/^ *\d+ {2}PASS/gm)).toHaveLength(12)
    expect(code).toBe(0)
  })
})

/** Roles that a sample makes are there already, and the user it speaks to is not. */
function asIfNew({ code }: Sample): string {
  const made = [...code.matchAll(/create role (\w+)/g)].map(([, role]) => role)
  const spokenTo = [...code.matchAll(/grant .* to "([^"]+)"/g)].map(([, role]) => role)
  return [
    ...made.map((role) => `alter role ${role} rename to before_${role};`),
    ...spokenTo.map((role) => `create role "${role}";`),
  ].join(' ')
}
