// Temporary folders of a bench. Each is removed by whoever made it; at a second Ctrl-C nobody gets to do that, and all go at once.
import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const there = new Set<string>()
const servers = new Set<number>()

export async function createFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `estafet-${name}-`))
  there.add(folder)
  return folder
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  there.delete(folder)
}

/** A Postgres outlives us, and would go on in a folder that is gone. The returned function is for when it has ended. */
export function noteServer(pid: number): () => void {
  servers.add(pid)
  return () => void servers.delete(pid)
}

/** Without a pause in which anything else could fail for want of what is taken away. */
export function clearAwayAtOnce(): void {
  // Postgres ends its sessions and itself, without writing anything down.
  for (const pid of servers) quit(pid)
  // It may be making a last file meanwhile.
  for (const folder of there) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}

function quit(pid: number): void {
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    // It is gone already; its folder is not.
  }
}
