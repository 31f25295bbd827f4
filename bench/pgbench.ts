// The database's own limit: pgbench inserts the same row, one per commit, and Postgres groups the commits.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFolder, removeFolder } from './folders.ts'

/** Debian keeps it beside the server and off the path. */
export function findPgbench(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  const folders = [
    ...['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'],
    ...versions.map((version) => join(debian, version, 'bin')),
  ]
  return folders.map((folder) => join(folder, 'pgbench')).find((path) => existsSync(path))
}

// The body crosses the wire as a parameter, as ours does; the name in it is made unique by client and count.
const script = `
\\set n :n + 1
\\set key :client_id * 1000000000 + :n
insert into whatsapp_webhook_events
  (id, received_at, next_run_at, raw, payload, app_id, inbound_event_id, correlation_id, phone_number_id,
   body_sha256, single_item_of)
select uuidv7(), now(), now(), convert_to(body, 'UTF8'), body::jsonb, '990000000000001', wamid, uuidv7(), '441785372350001',
  null, '441785372350001'
from (select replace(:body::text, 'WAMID', md5(:key::text)) as body, 'wamid.' || md5(:key::text) as wamid) as event
on conflict do nothing;
`

export interface PgbenchOptions {
  program: string
  databaseUrl: string
  body: string
  connections: number
  seconds: number
}

/** Every transaction's time, in milliseconds. */
export async function runPgbench(options: PgbenchOptions): Promise<number[]> {
  const folder = await createFolder('pgbench')
  try {
    const file = join(folder, 'insert.sql')
    await writeFile(file, script)
    await run(options.program, [
      ...['--no-vacuum', '--protocol=prepared', `--file=${file}`, '--define=n=0'],
      ...[`--define=body=${options.body}`, `--time=${options.seconds}`],
      ...[`--client=${options.connections}`, `--jobs=${Math.min(2, options.connections)}`],
      ...['--log', `--log-prefix=${join(folder, 'log')}`, options.databaseUrl],
    ])
    const latencies: number[] = []
    for (const name of await readdir(folder)) {
      if (!name.startsWith('log')) continue
      // client, transaction, microseconds, script, second, microsecond
      for (const line of (await readFile(join(folder, name), 'latin1')).split('\n')) {
        const micros = line.split(' ')[2]
        if (micros !== undefined) latencies.push(Number(micros) / 1000)
      }
    }
    return latencies
  } finally {
    await removeFolder(folder)
  }
}

function run(program: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`pgbench ended with ${code}: ${output}`)),
    )
  })
}
