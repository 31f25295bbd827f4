// The rows that stand for processes: each is the lease on all that its process has claimed.
import { type Db, sql, type Tx } from '../db/connect.ts'

export async function registerWorker(db: Tx, leaseSeconds: number): Promise<string> {
  const [row] = await db.query(sql<{ id: string }>`
    insert into send_workers (alive_until)
    values (now() + make_interval(secs => ${leaseSeconds}))
    returning id`)
  if (!row) throw new Error('bug: an insert without its row')
  return row.id
}

/** False when the lease is lost: others may have what this worker holds. */
export async function renewWorker(db: Tx, id: string, leaseSeconds: number): Promise<boolean> {
  const rows = await db.query(sql`
    update send_workers
    set alive_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id}::bigint and alive_until > now()
    returning id`)
  return rows.length > 0
}

/**
 * Only when it holds nothing. A claim whose answer nobody waits for any more may still be under way: it has the row locked,
 * and what it claimed is seen only by a statement that begins after its commit.
 */
export async function removeWorker(db: Db, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`select from send_workers where id = ${id}::bigint for update`)
    await tx.query(sql`
      delete from send_workers w
      where w.id = ${id}::bigint
        and not exists (select from whatsapp_send_outbox o where o.status = 'running' and o.worker_id = w.id)
        and not exists (select from event_deliveries d where d.status = 'running' and d.worker_id = w.id)`)
  })
}
