// Which database this is: another one after a restore, a copy or a failover, even under the same name.
import { sql, type Tx } from './connect.ts'

export async function identifyDatabase(db: Tx): Promise<string> {
  const [row] = await db.query(sql<{ identity: string }>`
    select concat_ws('/', s.system_identifier, c.timeline_id, d.oid) as identity
    from pg_control_system() s, pg_control_checkpoint() c, pg_database d
    where d.datname = current_database()`)
  if (!row) throw new Error('bug: a database without a row in pg_database')
  return row.identity
}
