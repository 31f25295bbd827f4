// Fills a database with the past: tenants, people, messages both ways, their steps, and what the inbox keeps of it all.
// In SQL, because a million rows through the front door would take longer than what is to be measured.
import { sql } from '../src/db/connect.ts'
import type { BenchDatabase } from './postgres.ts'

const tenantCount = 20
/** A person has twenty messages on average; squaring the dice makes a few tenants and people far busier than the rest. */
const messagesPerPerson = 20

export async function fill({ db }: BenchDatabase, messages: number): Promise<void> {
  const people = Math.max(tenantCount, Math.round(messages / messagesPerPerson))
  await db.session(async (session) => {
    // Foreign keys hold by construction, and a crash in here costs nothing but the run.
    await session.script('set session_replication_role = replica')
    await session.script('set synchronous_commit = off')
    await session.script('select setseed(0.42)')
    for (const step of [
      tenants,
      persons(people),
      past(messages, people),
      conversations,
      ...records,
    ]) {
      await session.script(step)
    }
    await session.script('drop table bench_past, bench_people, bench_tenants')
    await session.script('reset session_replication_role')
    await session.script('reset synchronous_commit')
    await session.script('vacuum analyze')
    await session.script('checkpoint')
  })
}

const tenants = `
  create temp table bench_tenants as
  select n, uuidv7() as id, '44178537235' || lpad(n::text, 4, '0') as number
  from generate_series(0, ${tenantCount - 1}) as n;
  insert into tenants (id, name, slug, created_at, updated_at)
  select id, 'Tenant ' || n, 'tenant-' || n, now(), now() from bench_tenants;
  insert into whatsapp_accounts
    (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
  select uuidv7(), id, '215589313241560', number, '+1 555-0100', 'sealed', now(), now() from bench_tenants`

const persons = (people: number) => `
  create temp table bench_people as
  select dice.n, uuidv7(interval '-31 days') as id, uuidv7(interval '-31 days') as conversation_id,
    t.id as tenant_id, t.number, '1650' || lpad(dice.n::text, 7, '0') as wa_id, 'Person ' || dice.n as name
  from (select n, floor(${tenantCount} * random() ^ 2)::int as tenant from generate_series(0, ${people - 1}) as n) as dice
  join bench_tenants t on t.n = dice.tenant;
  create unique index on bench_people (n);
  insert into whatsapp_contacts (id, tenant_id, wa_id, name, created_at, updated_at)
  select id, tenant_id, wa_id, name, now() - interval '31 days', now() - interval '31 days' from bench_people`

/** Thirty days, evenly; half of the messages from the contact, half to it. */
const past = (messages: number, people: number) => `
  create temp table bench_past as
  select m, at, p.tenant_id, p.number, p.id as contact_id, p.conversation_id, p.name, p.wa_id, is_inbound,
    uuidv7(at - now()) as id, uuidv7(at - now()) as event_id, uuidv7(at - now()) as correlation_id,
    'wamid.' || encode('\\x1c180b' || convert_to(p.wa_id, 'UTF8') || '\\x150200121814' ||
      convert_to(upper(substr(md5(m::text), 1, 20)), 'UTF8'), 'base64') as wamid
  from (
    select m, now() - interval '30 days' * (1 - m::float8 / ${messages}) as at, random() < 0.5 as is_inbound,
      floor(${people} * random() ^ 2)::int as person
    from generate_series(1, ${messages}) as m
  ) as dice
  join bench_people p on p.n = dice.person
  order by m`

const conversations = `
  insert into whatsapp_conversations
    (id, tenant_id, phone_number_id, contact_id, contact_wa_id, contact_name, last_message_at, last_inbound_at,
     created_at, updated_at)
  select conversation_id, tenant_id, number, contact_id, wa_id, name, max(at),
    max(at) filter (where is_inbound), min(at), max(at)
  from bench_past
  group by conversation_id, tenant_id, number, contact_id, wa_id, name`

const steps = `(select * from bench_past cross join (values ('sent'), ('delivered')) as step (step) where not is_inbound)`
const keys = `(
  select m, at, tenant_id, number, event_id, correlation_id, wamid as key, 'inbound_message' as kind
  from bench_past where is_inbound
  union all
  select m, at, tenant_id, number, uuidv7(at - now()), uuidv7(at - now()), wamid || ':' || step, 'status_update'
  from ${steps} as s)`

const records = [
  `insert into whatsapp_messages
    (id, tenant_id, phone_number_id, conversation_id, direction, type, wamid, status, content, sender_contact_id,
     occurred_at, created_at, event_id, correlation_id)
  select id, tenant_id, number, conversation_id, case when is_inbound then 'inbound' else 'outbound' end, 'text', wamid,
    case when is_inbound then 'received' else 'delivered' end,
    jsonb_build_object('body', repeat('What people write to each other. ', 6)),
    case when is_inbound then contact_id end, at, at, event_id, correlation_id
  from bench_past order by m`,
  // What is long past was told long ago.
  'truncate events',
  `insert into whatsapp_message_statuses
    (tenant_id, wamid, status, phone_number_id, occurred_at, received_at, details, event_id, correlation_id)
  select tenant_id, wamid, step, number, at, at, '{"recipient_id": "16505550143"}', event_id, correlation_id
  from ${steps} as s order by m`,
  // Their payloads are pruned, as old ones are; every index entry is there.
  `create temp table bench_keys as select * from ${keys} as k order by m`,
  `insert into whatsapp_webhook_events
    (id, received_at, processed_at, status, attempt, next_run_at, raw, app_id, inbound_event_id, correlation_id,
     phone_number_id, body_sha256, single_item_of, outcome, pruned_at)
  select event_id, at, at, 'done', 1, at, '', '990000000000001', key, correlation_id, number,
    null, number,
    jsonb_build_object(tenant_id, '{"received": 1, "messages": 1}'::jsonb), at
  from bench_keys`,
  `insert into whatsapp_webhook_dedupe (tenant_id, dedupe_key, event_type, created_at)
  select tenant_id, key, kind, at from bench_keys`,
  `insert into whatsapp_inbound_traces
    (event_id, attempt, inbound_event_id, correlation_id, task_name, started_at, finished_at, outcome)
  select event_id, 1, key, correlation_id, 'postgres', at, at, 'done' from bench_keys`,
  'drop table bench_keys',
]

export interface StoredContact {
  tenantId: string
  number: string
  waId: string
  name: string
}

/** Whom somebody wrote to or from lately, so that the busy ones come up more often. */
export async function someContacts({ db }: BenchDatabase, count: number): Promise<StoredContact[]> {
  return db.query(sql<StoredContact>`
    select m.tenant_id as "tenantId", m.phone_number_id as number, c.wa_id as "waId", c.name
    from (
      select * from whatsapp_messages where direction = 'inbound' order by random() limit ${count}
    ) as m
    join whatsapp_contacts c on c.tenant_id = m.tenant_id and c.id = m.sender_contact_id`)
}

/** Messages of ours that nobody has read yet. */
export async function someUnread(
  { db }: BenchDatabase,
  count: number,
): Promise<{ number: string; wamid: string; waId: string }[]> {
  return db.query(sql<{ number: string; wamid: string; waId: string }>`
    select m.phone_number_id as number, m.wamid, c.contact_wa_id as "waId"
    from (
      select * from whatsapp_messages where status = 'delivered' order by random() limit ${count}
    ) as m
    join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id`)
}
