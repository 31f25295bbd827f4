// The two database roles that row-level security speaks of. Roles belong to the whole server, so they are made
// beside the migrations and not by them.
import { isStatementError, type Session, sql, sqlState } from './connect.ts'

const roles = ['estafet_tenant', 'estafet_system'] as const

export class RolesMissing extends Error {
  constructor(user: string, statements: string[], cause?: unknown) {
    super(
      [
        `The database user ${user} may not make, or may not use, the roles that keep tenants apart.`,
        'Have an administrator of this Postgres run, once:',
        ...statements.map((statement) => `  ${statement};`),
      ].join('\n'),
      { cause },
    )
    this.name = 'RolesMissing'
  }
}

/** Makes sure that both roles exist and that the current user can work under them. */
export async function ensureRoles(session: Session): Promise<void> {
  if (await mayUseRoles(session)) return
  const { user, creations, grants } = await findMissing(session)
  let refusal: unknown
  try {
    for (const creation of creations) await createRole(session, creation)
    for (const grant of grants) await session.script(grant)
  } catch (error) {
    // 42501: insufficient privilege
    if (sqlState(error) !== '42501') throw error
    refusal = error
  }
  if (refusal || !(await mayUseRoles(session))) {
    throw new RolesMissing(user, [...creations, ...grants], refusal)
  }
}

/** Two things, which can be granted apart since Postgres 16: having what the role has (the policies ask for that, and
 *  they bind the tables' owner too), and `set role`. */
async function mayUseRoles(session: Session): Promise<boolean> {
  const [row] = await session.query(
    sql<{ inherited: number }>`
      select count(*)::int as inherited
      from pg_roles
      where rolname = any(${roles}) and pg_has_role(current_user, oid, 'usage')`,
  )
  if (row?.inherited !== roles.length) return false
  try {
    // Outside a transaction, so it holds for this one statement only.
    for (const role of roles) await session.query(sql`select set_config('role', ${role}, true)`)
    return true
  } catch (error) {
    if (sqlState(error) === '42501') return false
    throw error
  }
}

interface Missing {
  user: string
  creations: string[]
  grants: string[]
}

async function findMissing(session: Session): Promise<Missing> {
  const [me] = await session.query(
    sql<{ user: string; inherits: boolean; version: number; existing: string[] }>`
      select quote_ident(current_user) as user, rolinherit as inherits,
        current_setting('server_version_num')::int as version,
        array(select rolname::text from pg_roles where rolname = any(${roles})) as existing
      from pg_roles
      where rolname = current_user`,
  )
  if (!me) throw new Error('bug: the current user is not in pg_roles')
  const creations = roles
    .filter((role) => !me.existing.includes(role))
    .map((role) => `create role ${role} nologin`)
  const grant = `grant ${roles.join(', ')} to ${me.user}`
  if (me.version >= 160_000) {
    return { user: me.user, creations, grants: [`${grant} with inherit true, set true`] }
  }
  // Before 16 inheriting belongs to the user and not to the grant.
  const grants = me.inherits ? [grant] : [grant, `alter role ${me.user} inherit`]
  return { user: me.user, creations, grants }
}

async function createRole(session: Session, creation: string): Promise<void> {
  try {
    await session.script(creation)
  } catch (error) {
    // Another database of this server was being migrated at the same moment.
    const made = isStatementError(error) && ['42710', '23505'].includes(error.code)
    if (!made) throw error
  }
}
