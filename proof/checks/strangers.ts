// I6, I8 at the end of a run: every row and every event is its own tenant's, and nobody said what is nobody's business.
import { readFile } from 'node:fs/promises'
import { type Db, sql } from '../../src/db/connect.ts'
import { type Canary, findLeaks } from '../../test/support/canaries.ts'
import { operatorKey } from '../../test/support/gateway.ts'
import { checkLogLines } from '../../test/support/log-lines.ts'

export interface Owners {
  /** Of messages and statuses, by their names at Meta. */
  rows: { wamid: string; tenantId: string; phoneNumberId: string }[]
  /** Of events that were heard: at whose address, and whose they say they are. */
  told: { heardBy: string; tenantId: string; phoneNumberId: string | null }[]
  /** The tenant of each number. */
  numbers: Map<string, string>
  /** The number that each name at Meta belongs to, as those outside know it. */
  through: Map<string, string>
}

export async function gatherOwners(db: Db): Promise<Owners['rows']> {
  return db.query(sql<Owners['rows'][number]>`
    select wamid, tenant_id as "tenantId", phone_number_id as "phoneNumberId"
    from whatsapp_messages where wamid is not null
    union
    select wamid, tenant_id, phone_number_id from whatsapp_message_statuses`)
}

export function checkOwners({ rows, told, numbers, through }: Owners): string[] {
  const names = new Set<string>()
  const twice = rows.filter(({ wamid }) => names.size === names.add(wamid).size)
  return [
    ...rows
      .filter(({ tenantId, phoneNumberId }) => numbers.get(phoneNumberId) !== tenantId)
      .map(({ wamid }) => `I6: ${wamid} is with a tenant whose number it did not come through`),
    ...rows
      .filter(({ wamid, phoneNumberId }) => through.get(wamid) !== phoneNumberId)
      .map(({ wamid, phoneNumberId }) => {
        return `I6: ${wamid} is with ${phoneNumberId}, and came through ${through.get(wamid)}`
      }),
    ...twice.map(({ wamid }) => `I6: ${wamid} is with two tenants`),
    ...told
      .filter(
        ({ heardBy, tenantId, phoneNumberId }) =>
          heardBy !== tenantId ||
          (phoneNumberId !== null && numbers.get(phoneNumberId) !== heardBy),
      )
      .map(({ tenantId }) => `I6: an event of ${tenantId} was told to another tenant`),
  ]
}

/** What processes wrote, file by file. */
export async function checkOutputs(canaries: Canary[], files: string[]): Promise<string[]> {
  const violations: string[] = []
  for (const file of files) {
    const text = await readFile(file, 'utf8')
    violations.push(...checkOutput(canaries, text))
  }
  return [...new Set(violations)]
}

export function checkOutput(canaries: Canary[], text: string): string[] {
  const leaks = findLeaks(canaries, text).map(
    ({ what, form }) => `I8: a process wrote a ${what}, ${form}`,
  )
  const broken = /unhandled_rejection|^(?:Uncaught|Error:|TypeError)/m.exec(text)
  return [
    ...leaks,
    ...(broken ? [`a process wrote: ${lineAt(text, broken.index)}`] : []),
    ...problemOf(() => checkLogLines(text)),
  ]
}

/** What a process tells of itself, to whom it may concern. */
export async function checkMetrics(canaries: Canary[], url: string): Promise<string[]> {
  const answer = await fetch(`${url}/metrics`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the metrics of ${url} were answered ${answer.status}`)
  return findLeaks(canaries, text).map(({ what, form }) => `I8: the metrics show ${what}, ${form}`)
}

/** Few rows have any of these, and many tokens the same. */
const headLength = 6

/** What is secret lies nowhere open in the database, where every backup has it: tokens are sealed, keys are hashed. */
export async function checkRows(db: Db, secrets: Canary[]): Promise<string[]> {
  const words = secrets.flatMap(({ what, text }) => [
    { what, word: text },
    // As Postgres prints bytes.
    { what, word: Buffer.from(text).toString('hex') },
  ])
  // By how they begin first, and megabytes at a time: a long run leaves hundreds of tokens, and more than one statement has the
  // time for.
  const heads = new Set(words.map(({ word }) => word.slice(0, headLength)))
  const anyOf = [...heads].map((head) => head.replaceAll(/\W/g, '\\$&')).join('|')
  const tables = await db.query(sql<{ name: string; slices: number }>`
    select relname as name, ceil((pg_table_size(relid) + 1) / 8e6)::int as slices
    from pg_stat_user_tables where schemaname = 'public' order by relname`)
  const open = new Set<string>()
  for (const { name, slices } of tables) {
    for (let slice = 0; slice < slices; slice++) {
      const found = await db.query<{ what: string }>({
        name: `secrets in ${name}`,
        text: `
          select distinct secret.what
          from (
            select text
            from (select * from "${name}" where abs(hashtext(ctid::text)::bigint) % $4 = $5) as one
              cross join lateral (select one::text as text offset 0) as printed
            where text ~ $3
            offset 0
          ) as open
          join unnest($1::text[], $2::text[]) as secret (what, word) on strpos(open.text, secret.word) > 0`,
        values: [
          ...[words.map(({ what }) => what), words.map(({ word }) => word)],
          ...[anyOf, slices, slice],
        ],
      })
      for (const { what } of found) open.add(`I8: ${what} lies open in ${name}`)
    }
  }
  return [...open]
}

function lineAt(text: string, index: number): string {
  const start = text.lastIndexOf('\n', index) + 1
  const end = text.indexOf('\n', index)
  return text.slice(start, end === -1 ? undefined : end).slice(0, 500)
}

function problemOf(check: () => void): string[] {
  try {
    check()
    return []
  } catch (error) {
    return [`I8: ${(error as Error).message}`]
  }
}
