// A disk that can be filled: a file with a file system in it, mounted. Only where that is possible; the WAL lies elsewhere.
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { connect, sql } from '../../src/db/connect.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { testPatience } from '../../test/support/database.ts'
import { createDirectory, type OwnPostgres } from '../../test/support/program.ts'

const run = promisify(execFile)

export interface SmallDisk {
  fill(): Promise<void>
  free(): Promise<void>
}

/** Why there is none, where there is none. */
export async function mountSmallDisk(): Promise<(SmallDisk & { folder: string }) | string> {
  const place = await createDirectory()
  const [image, folder] = [join(place, 'image'), join(place, 'disk')]
  try {
    await chmod(place, 0o755)
    await mkdir(folder)
    await run('truncate', ['--size', '64M', image])
    await run('mkfs.ext4', ['-q', '-m', '0', image])
    await run('mount', ['-o', 'loop', image, folder])
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 2).join(' ')
  }
  afterFile(() => run('umount', ['--lazy', folder]))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    // To the last byte: it fails, which is the purpose.
    fill: () => run('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64K']).then(nothing, nothing),
    free: () => rm(ballast, { force: true }),
  }
}

const nothing = () => undefined

/** The server's database lies on it from now on. */
export async function moveOnto(folder: string, { url, db }: OwnPostgres): Promise<void> {
  const space = join(folder, 'space')
  await mkdir(space, { mode: 0o700 })
  const [row] = await db.query(
    sql<{ pid: number; name: string }>`select pg_backend_pid() as pid, current_database() as name`,
  )
  const { uid, gid } = await stat(`/proc/${row?.pid}`)
  await chown(space, uid, gid)
  const address = new URL(url)
  address.pathname = '/postgres'
  const admin = connect({ url: address.href, name: 'test', poolSize: 1, ...testPatience })
  await admin.session(async (session) => {
    await session.script(`create tablespace small location '${space}'`)
    await session.script(`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = '${row?.name}'`)
    await session.script(`alter database "${row?.name}" set tablespace small`)
  })
  await admin.close()
}
