// `estafet migrate` dies between two files; the next one goes on where it was.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, sql } from '../../src/db/connect.ts'
import { packageRoot } from '../../src/package-root.ts'
import { createTestDatabase, testPatience } from '../../test/support/database.ts'
import { testSecrets } from '../../test/support/gateway.ts'
import { createDirectory, startProgram } from '../../test/support/program.ts'
import type { LifeOptions, Outcome } from './life.ts'

export async function migrateOnceMore({ program, label, pass }: LifeOptions): Promise<Outcome> {
  const url = await createTestDatabase(null)
  const crashLog = join(await createDirectory(), 'crash.log')
  const run = async (crashAt: string) => {
    const environment = {
      ...testSecrets,
      DATABASE_URL: url,
      CRASH_LOG: crashLog,
      CRASH_AT: crashAt,
    }
    return (await startProgram(['migrate'], environment, program)).exited
  }
  const first = await run(`${label}#${pass}`)
  const db = connect({ url, name: 'test', poolSize: 1, ...testPatience })
  const applied = async () =>
    (await db.query(sql<{ name: string }>`select name from schema_migrations order by name`)).map(
      ({ name }) => name,
    )
  const before = await applied()
  const second = await run('')
  const after = await applied()
  await db.close()
  const files = (await readdir(join(packageRoot, 'migrations'))).filter((name) =>
    name.endsWith('.sql'),
  )
  const violations = [
    ...(before.length === pass - 1 ? [] : [`${before.length} migrations were kept of ${pass - 1}`]),
    ...(second.code === 0 ? [] : [`the second run ended with ${second.code ?? second.signal}`]),
    ...(after.join() === files.sort().join()
      ? []
      : [`${after.length} of ${files.length} are there`]),
  ]
  const lines = (await readFile(crashLog, 'utf8')).split('\n')
  return {
    label,
    pass,
    deaths: first.signal === 'SIGKILL' ? 1 : 0,
    passed: lines.flatMap((line) => /^passed (\S+)$/.exec(line)?.[1] ?? []),
    violations,
  }
}
