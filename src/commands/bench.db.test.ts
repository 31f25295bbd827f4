// `estafet bench …` around what it measures: which commit it names, what it refuses, what it leaves behind.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { runProgram, startProgram, until } from '../../test/support/program.ts'
import { resource } from '../../test/support/resources.ts'
import { isStillRunning, runningProcess } from '../db/embedded-process.ts'
import { packageRoot } from '../package-root.ts'
import { commitIn } from './bench.ts'

test('the commit is the one of its own checkout, not of a repository that it is installed in', async () => {
  const repository = createTestFolder()
  const installed = join(repository, 'node_modules', 'estafet')
  mkdirSync(installed, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim()
  expect(await commitIn(repository)).toBeNull()
  git('init', '--quiet')
  const somebody = ['-c', 'user.name=Sam', '-c', 'user.email=sam@example.com']
  git(...somebody, 'commit', '--quiet', '--allow-empty', '--message', 'A beginning')

  expect(await commitIn(repository)).toBe(git('rev-parse', '--short', 'HEAD'))
  expect(await commitIn(installed)).toBeNull()
})

test('there is no page from some of the results', async () => {
  const folder = createTestFolder()
  cpSync(join(packageRoot, 'bench', 'results'), folder, { recursive: true })
  const render = () => runProgram(['bench', 'all', '--render-only', '--out', folder], {})
  expect((await render()).code).toBe(0)
  rmSync(join(folder, 'speed.md'))
  rmSync(join(folder, 'weather.json'))

  const { code, stderr } = await render()

  expect(stderr).toContain(`There is no page without ${join(folder, 'weather.json')}:`)
  expect(code).toBe(2)
  expect(existsSync(join(folder, 'speed.md'))).toBe(false)
})

test('a second Ctrl-C leaves neither its folders nor its Postgres', async () => {
  const temporary = createTestFolder()
  // So many questions that it still asks when it is told to stop.
  const args = ['bench', 'health', '--rows', '20', '--samples', '9999999', '--rounds', '1']
  const bench = await startProgram(args, { TMPDIR: temporary }, (await resource('programs')).build)
  await until('it asks', () => bench.stderr().includes('waiting is filled'))
  const pidFiles = readdirSync(temporary).map((name) =>
    join(temporary, name, 'postgres', 'postmaster.pid'),
  )
  const [pid] = readFileSync(pidFiles.find(existsSync) ?? '', 'utf8').split('\n')
  const postgres = runningProcess(Number(pid))
  expect(isStillRunning(postgres)).toBe(true)
  // When this fails it must not stay.
  afterFile(async () => void (isStillRunning(postgres) && process.kill(postgres.pid, 'SIGQUIT')))
  process.kill(bench.pid, 'SIGINT')
  await until('it knows', () => bench.stderr().includes('once more, and it ends at once'))

  expect(await bench.end('SIGINT')).toEqual({ code: null, signal: 'SIGINT' })

  expect(readdirSync(temporary)).toEqual([])
  await until('Postgres is gone', () => !isStillRunning(postgres))
})
