// A database whose clock is a row: now() and clock_timestamp() are found in another schema first, by everything that the
// database plans and runs from then on. So the real functions of the queue run at made times.
import { type Db, sql } from '../../src/db/connect.ts'

/** For connections that are made after it. */
export async function makeTimeVirtual(db: Db): Promise<void> {
  const functions = await db.query(sql<{ text: string }>`
    select pg_get_functiondef(p.oid) as text
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosqlbody is not null
      and pg_get_functiondef(p.oid) ~ '(now|clock_timestamp)[(][)]'`)
  const [row] = await db.query(sql<{ name: string }>`select current_database() as name`)
  await db.session((session) =>
    session.script(`
      create schema virtual;
      create table virtual.clock (at timestamptz not null);
      insert into virtual.clock values ('2030-01-01');
      create function virtual.now() returns timestamptz language sql stable as 'select at from virtual.clock';
      create function virtual.clock_timestamp() returns timestamptz language sql stable
        as 'select at from virtual.clock';
      create function virtual.ms(at timestamptz) returns float8 language sql immutable
        as 'select extract(epoch from at)::float8 * 1000';
      alter table send_attempts alter started_at set default virtual.clock_timestamp();
      alter database ${row?.name} set search_path = virtual, pg_catalog, public;
      -- Bodies that were bound to the real clock when they were made.
      set search_path = virtual, pg_catalog, public;
      ${functions.map(({ text }) => `${text};`).join('\n')}
      reset search_path;`),
  )
}

export async function setTime(db: Db, ms: number): Promise<void> {
  await db.query(sql`update virtual.clock set at = ${new Date(ms)}`)
}
