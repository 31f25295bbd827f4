// What keeps tenants apart, read from the database's own catalogue. Every gap is a sentence that names what has it.
import { sql, type Tx } from '../../src/db/connect.ts'

/** What is meant to be otherwise, each with its reason. One that is no longer needed is a gap too. */
export interface Exceptions {
  /** Tables without row-level security. */
  unprotected: Record<string, string>
  /** Tables that belong to no tenant. */
  withoutTenant: Record<string, string>
  /** Unique across tenants: `table (columns)`. */
  unique: Record<string, string>
  /** Foreign keys without the tenant: `table (columns)`. */
  foreignKeys: Record<string, string>
}

export async function findIsolationGaps(db: Tx, exceptions: Exceptions): Promise<string[]> {
  const tables = await readTables(db)
  return [
    ...tables.flatMap((table) => gapsOf(table, exceptions)),
    ...namesNobodyHas(tables, exceptions),
    ...(await findUniqueGaps(db, exceptions)),
    ...(await findForeignKeyGaps(db, exceptions)),
    ...(await findWaysAround(db)),
    ...(await findRoleGaps(db)),
  ].sort()
}

/** The tables of tenants, as they are called in SQL. */
export async function tenantTables(db: Tx): Promise<string[]> {
  const tables = await readTables(db)
  return tables.filter((table) => table.tenantColumn !== null).map((table) => table.name)
}

interface Policy {
  name: string
  command: string
  permissive: boolean
  using: string | null
  check: string | null
}

interface Table {
  name: string
  enabled: boolean
  forced: boolean
  /** `tenant_id`; in the table of tenants itself, `id`. */
  tenantColumn: string | null
  /** What estafet_tenant may do, to the table or to a column of it. */
  privileges: string[]
  /** The policies that let estafet_tenant in, by name or as everybody. */
  policies: Policy[]
}

/** Partitions are tables like any other here, in whatever schema: nothing of their parent protects a direct query. */
async function readTables(db: Tx): Promise<Table[]> {
  return db.query(sql<Table>`
    select c.oid::regclass::text as name,
      c.relrowsecurity as enabled,
      c.relforcerowsecurity as forced,
      (select attname
        from pg_attribute
        where attrelid = c.oid
          and attname = case when c.relname = 'tenants' then 'id' else 'tenant_id' end) as "tenantColumn",
      array(
        select privilege
        from unnest(array['select', 'insert', 'update', 'references']) as privilege
        where has_any_column_privilege('estafet_tenant', c.oid, privilege)
        union all
        select privilege
        from unnest(array['delete', 'truncate', 'trigger']) as privilege
        where has_table_privilege('estafet_tenant', c.oid, privilege)) as privileges,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', polname, 'command', polcmd, 'permissive', polpermissive,
          'using', pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid)))
        from pg_policy
        where polrelid = c.oid
          and exists (
            select
            from unnest(polroles) as role
            where role = 0 or pg_has_role('estafet_tenant', role, 'usage'))), '[]') as policies
    from pg_class c
    where c.relkind in ('r', 'p')
      and (c.relnamespace = 'public'::regnamespace or c.oid in (select inhrelid from pg_inherits))
    order by c.relname`)
}

function gapsOf(table: Table, { unprotected, withoutTenant }: Exceptions): string[] {
  const { name, tenantColumn, privileges, policies } = table
  const gaps: string[] = []
  if (!(name in unprotected)) {
    if (!table.enabled) gaps.push(`${name}: row-level security is off`)
    if (!table.forced) gaps.push(`${name}: row-level security does not bind its owner`)
  }
  // Row-level security does not bind these; the last two are ways to look at rows through one's own table or code.
  for (const privilege of ['truncate', 'references', 'trigger']) {
    if (privileges.includes(privilege))
      gaps.push(`${name}: tenants have the privilege ${privilege}`)
  }
  if (tenantColumn === null) {
    if (!(name in withoutTenant)) gaps.push(`${name}: has no tenant_id`)
    if (privileges.length > 0)
      gaps.push(`${name}: belongs to no tenant, yet tenants may ${privileges}`)
    return gaps
  }
  const rule = `(${tenantColumn} = current_tenant())`
  const own = policies.filter(
    ({ command, using, check }) => command === '*' && using === rule && check === rule,
  )
  if (!own.some(({ permissive }) => permissive)) {
    gaps.push(`${name}: no policy lets a tenant see and write its own rows only`)
  }
  for (const { name: policy } of policies.filter((policy) => !own.includes(policy))) {
    gaps.push(`${name}: tenants are also let in by the policy ${policy}`)
  }
  return gaps
}

function namesNobodyHas(tables: Table[], { unprotected, withoutTenant }: Exceptions): string[] {
  const unneeded = [
    ...Object.keys(unprotected).filter(
      (name) => !tables.some((table) => table.name === name && !table.enabled),
    ),
    ...Object.keys(withoutTenant).filter(
      (name) => !tables.some((table) => table.name === name && table.tenantColumn === null),
    ),
  ]
  return unneeded.map((name) => `${name}: is no exception any more`)
}

/** A conflict with a row that one may not see tells that it is there. */
async function findUniqueGaps(db: Tx, { unique }: Exceptions): Promise<string[]> {
  const rows = await db.query(sql<{ key: string }>`
    select i.indrelid::regclass || ' (' || string_agg(coalesce(a.attname, 'expression'), ', ' order by k.place) || ')'
      as key
    from pg_index i
    join pg_class c on c.oid = i.indrelid
    cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
    left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum and k.attnum > 0
    where i.indisunique
      and c.relnamespace = 'public'::regnamespace
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
    group by i.indexrelid, i.indrelid
    having (array_agg(a.attname order by k.place))[1] is distinct from 'tenant_id'
    order by 1`)
  return compare(rows, unique, 'is unique across tenants')
}

/** The check behind a foreign key sees all tenants' rows, so the tenant must be part of what it looks for. */
async function findForeignKeyGaps(db: Tx, { foreignKeys }: Exceptions): Promise<string[]> {
  const rows = await db.query(sql<{ key: string }>`
    with keys as (
      select f.conrelid, f.confrelid,
        array(
          select a.attname::text
          from unnest(f.conkey) with ordinality as k (attnum, place)
          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum
          order by place) as columns,
        array(
          select a.attname::text
          from unnest(f.confkey) with ordinality as k (attnum, place)
          join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum
          order by place) as targets
      from pg_constraint f
      where f.contype = 'f' and f.connamespace = 'public'::regnamespace
    )
    select conrelid::regclass || ' (' || array_to_string(columns, ', ') || ')' as key
    from keys
    where exists (select from pg_attribute a where a.attrelid = conrelid and a.attname = 'tenant_id')
      and case
        when confrelid = 'tenants'::regclass then columns <> array['tenant_id']
        when not exists (select from pg_attribute a where a.attrelid = confrelid and a.attname = 'tenant_id') then false
        else columns[1] <> 'tenant_id' or targets[1] <> 'tenant_id' or cardinality(columns) < 2
      end
    order by 1`)
  return compare(rows, foreignKeys, 'is a foreign key without the tenant')
}

function compare(
  found: { key: string }[],
  allowed: Record<string, string>,
  problem: string,
): string[] {
  const keys = found.map(({ key }) => key)
  return [
    ...keys.filter((key) => !(key in allowed)).map((key) => `${key}: ${problem}`),
    ...Object.keys(allowed)
      .filter((key) => !keys.includes(key))
      .map((key) => `${key}: is no exception any more`),
  ]
}

/** What reads tables with somebody else's rights, or is a copy that no policy guards. */
async function findWaysAround(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ gap: string }>`
    select oid::regclass || ': a view with the rights of its owner' as gap
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'v'
      and not coalesce(reloptions, '{}') && array['security_invoker=true', 'security_invoker=on']
    union all
    select oid::regclass || ': no policy can guard this kind of relation'
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('m', 'f')
    union all
    select oid::regprocedure || ': a function with the rights of its owner'
    from pg_proc
    where pronamespace = 'public'::regnamespace and prosecdef
    union all
    select oid::regclass || ': tenants may use or read this sequence'
    from pg_class
    where relnamespace = 'public'::regnamespace
      -- Only a case promises an order, and the function refuses what is no sequence.
      and case when relkind = 'S' then has_sequence_privilege('estafet_tenant', oid, 'usage, select, update') end
    union all
    select 'public: tenants may create things in this schema'
    where has_schema_privilege('estafet_tenant', 'public', 'create')`)
  return rows.map(({ gap }) => gap)
}

async function findRoleGaps(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ gap: string }>`
    select rolname || ': can more than row-level security allows' as gap
    from pg_roles
    where rolname in ('estafet_tenant', 'estafet_system')
      and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication or rolcanlogin)
    union all
    select member::regrole || ': is a member of ' || roleid::regrole
    from pg_auth_members
    where member in ('estafet_tenant'::regrole, 'estafet_system'::regrole)
    union all
    select relowner::regrole || ': owns ' || oid::regclass
    from pg_class
    where relowner in ('estafet_tenant'::regrole, 'estafet_system'::regrole)`)
  return rows.map(({ gap }) => gap)
}
