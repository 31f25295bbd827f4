// The two database roles that row-level security speaks of. Roles belong to the whole server, so they are made
// beside the migrations and not by them.
import { isStatementError, type Session, sql, sqlState } from './connect.ts'

const roles = ['estafet_tenant', 'estafet_system'] as const

export class RolesMissing extends Error {
  constructor(user: string, cause: unknown) {
    const quoted = `"${user.replaceAll('"', '""')}"`
    super(
      [
        `The database user ${quoted} may not create the roles that keep tenants apart.`,
        'Have an administrator of this Postgres run, once:',
        ...roles.map((role) => `  create role ${role} nologin;`),
        `  grant ${roles.join(', ')} to ${quoted};`,
      ].join('\n'),
      { cause },
    )
    this.name = 'RolesMissing'
  }
}

/** Makes sure both roles exist and the current user is a member of them. */
export async function ensureRoles(session: Session): Promise<void> {
  const [me] = await session.query(
    sql<{ user: string; superuser: boolean }>`
      select current_user as user, rolsuper as superuser
      from pg_roles
      where rolname = current_user`,
  )
  if (!me) throw new Error('bug: the current user is not in pg_roles')
  for (const role of roles) {
    const [state] = await session.query(
      sql<{ member: boolean }>`
        select pg_has_role(current_user, oid, 'usage') and pg_has_role(current_user, oid, 'member') as member
        from pg_roles
        where rolname = ${role}`,
    )
    try {
      if (!state) await createRole(session, role)
      if (!state?.member) await session.script(`grant ${role} to current_user`)
    } catch (error) {
      // 42501: insufficient privilege
      if (sqlState(error) === '42501') throw new RolesMissing(me.user, error)
      throw error
    }
  }
}

async function createRole(session: Session, role: string): Promise<void> {
  try {
    await session.script(`create role ${role} nologin`)
  } catch (error) {
    // Another database of this server was being migrated at the same moment.
    const made = isStatementError(error) && ['42710', '23505'].includes(error.code)
    if (!made) throw error
  }
}
