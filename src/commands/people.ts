// Who signs in to the console, from the command line: also how the first operator gets in.
import type { z } from 'zod'
import { type listedPerson, newPerson } from '../api/contract-people.ts'
import { findPersonByEmail } from '../people/find.ts'
import { makeLink } from '../people/links.ts'
import { changePerson, createPerson, personNotFound } from '../people/manage.ts'
import { showLink, showPerson } from '../people/show.ts'
import type { Runtime } from '../runtime.ts'
import { callRoute } from './call-route.ts'
import {
  actor,
  type PageOptions,
  print,
  type TableOptions,
  tenantNamed,
  withRuntime,
} from './manage.ts'
import { readOptions } from './read-options.ts'
import { pageText, table } from './text.ts'

export interface UserOptions extends TableOptions {
  name?: string
  role: string
  tenant?: string
}

export async function userCreate(email: string, options: UserOptions): Promise<void> {
  const { name = email.split('@')[0], role } = options
  const given = readOptions(newPerson, { email, name, role }, { email: '<email>' })
  await withRuntime(async (runtime) => {
    const tenantId =
      options.tenant === undefined ? null : await tenantNamed(runtime, options.tenant)
    const made = await runtime.db.api.transaction(async (tx) => {
      const row = await createPerson(tx, { ...given, tenantId }, { ...runtime, actor })
      return { row, link: await makeLink(tx, row, { ...runtime, actor }) }
    })
    const link = showLink(made.link, baseOf(runtime))
    print(options, { person: showPerson(made.row), link }, linkText(link))
  })
}

type People = { data: z.output<typeof listedPerson>[]; paging: { next: string | null } }

export async function userList(options: PageOptions & { tenant?: string }): Promise<void> {
  await withRuntime(async (runtime) => {
    const { tenant, limit, after } = options
    const tenant_id = tenant === undefined ? undefined : await tenantNamed(runtime, tenant)
    const query = { tenant_id, limit, after }
    const page = await callRoute<People>(runtime, 'GET', '/api/admin/people', { query })
    const rows = page.data.map(({ id, role, status, email, name }) => [
      id,
      role,
      status,
      email,
      name,
    ])
    const nobody = 'Nobody can sign in yet. Next: estafet user create <email> --role operator'
    const text = table(['ID', 'ROLE', 'STATUS', 'EMAIL', 'NAME'], rows)
    print(options, page, rows.length === 0 ? nobody : pageText(text, page))
  })
}

export async function userLink(email: string, options: TableOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const row = await personNamed(runtime, email)
    const made = await runtime.db.api.transaction((tx) => makeLink(tx, row, { ...runtime, actor }))
    const link = showLink(made, baseOf(runtime))
    print(options, link, linkText(link))
  })
}

export const userDisable = (email: string, options: TableOptions) =>
  userStatus(email, 'disabled', options)

export const userEnable = (email: string, options: TableOptions) =>
  userStatus(email, 'active', options)

async function userStatus(
  email: string,
  status: 'active' | 'disabled',
  options: TableOptions,
): Promise<void> {
  await withRuntime(async (runtime) => {
    const { id } = await personNamed(runtime, email)
    const row = await runtime.db.api.transaction((tx) =>
      changePerson(tx, { tenantId: null, id }, { status }, { ...runtime, actor }),
    )
    const text = status === 'disabled' ? 'is shut out, and signed out everywhere' : 'may sign in'
    print(options, showPerson(row), `${row.email} ${text}.`)
  })
}

async function personNamed({ db }: Runtime, email: string) {
  const row = await findPersonByEmail(db.api, email.trim().toLowerCase())
  if (!row) throw personNotFound()
  return row
}

function baseOf({ config: { publicUrl, host, port } }: Runtime): string {
  return publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
}

function linkText({ url, expires_at }: ReturnType<typeof showLink>): string {
  return `${url}\nWhoever opens it chooses the password. It works once, until ${expires_at}.`
}
