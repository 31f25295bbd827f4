import { sql, type Tx } from '../db/connect.ts'

export interface EndpointRow {
  id: string
  url: string
  description: string
  events: string[]
  status: 'active' | 'paused' | 'disabled'
  disabled_reason: 'FAILING' | 'GONE' | null
  disabled_at: Date | null
  old_secret_until: Date | null
  created_at: Date
  updated_at: Date
  responder_for: string[]
  failing_since: Date | null
  last_success_at: Date | null
  pending_count: number
}

export interface Place {
  at: Date
  id: string
}

/** The latest first; or the one. */
export async function selectEndpoints(
  tx: Tx,
  tenantId: string,
  only: { id?: string; after?: Place | null; limit: number },
): Promise<EndpointRow[]> {
  return tx.query(sql<EndpointRow>`
    select p.id, p.url, p.description, p.events, p.status, p.disabled_reason, p.disabled_at, p.old_secret_until,
      p.created_at, p.updated_at, q.failing_since, q.last_success_at,
      array(
        select r.account_id
        from event_responders r
        where r.tenant_id = p.tenant_id and r.endpoint_id = p.id
        order by r.account_id) as responder_for,
      (
        select count(*)
        from (
          select
          from event_deliveries d
          where d.tenant_id = p.tenant_id and d.endpoint_id = p.id and d.status in ('pending', 'running')
          limit 1000
        ) as waiting
      )::int as pending_count
    from event_endpoints p
    join event_queues q on q.tenant_id = p.tenant_id and q.endpoint_id = p.id
    where p.tenant_id = ${tenantId}
      and (${only.id ?? null}::uuid is null or p.id = ${only.id ?? null})
      and (${only.after?.at ?? null}::timestamptz is null
        or (p.created_at, p.id) < (${only.after?.at ?? null}, ${only.after?.id ?? null}::uuid))
    order by p.created_at desc, p.id desc
    limit ${only.limit}`)
}

export async function countEndpoints(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.query(
    sql<{
      count: number
    }>`select count(*)::int as count from event_endpoints where tenant_id = ${tenantId}`,
  )
  return row?.count ?? 0
}

/** Taken before an endpoint's row, by whoever changes one. */
export async function lockEventTenant(tx: Tx, tenantId: string): Promise<void> {
  await tx.query(
    sql`insert into event_tenants (tenant_id) values (${tenantId}) on conflict do nothing`,
  )
  await tx.query(sql`select from event_tenants where tenant_id = ${tenantId} for no key update`)
}

export async function insertEndpoint(
  tx: Tx,
  endpoint: {
    id: string
    tenantId: string
    url: string
    description: string
    events: string[]
    sealedSecret: string
    createdAt: Date
  },
): Promise<void> {
  const { id, tenantId, createdAt } = endpoint
  await tx.query(sql`
    insert into event_endpoints (id, tenant_id, url, description, events, secret, created_at, updated_at)
    values (${id}, ${tenantId}, ${endpoint.url}, ${endpoint.description}, ${endpoint.events}, ${endpoint.sealedSecret},
      ${createdAt}, ${createdAt})`)
  await tx.query(sql`insert into event_queues (tenant_id, endpoint_id) values (${tenantId}, ${id})`)
}

/** What is not named stays as it is by now. Returns the status it has; undefined when it is gone. */
export async function updateEndpoint(
  tx: Tx,
  tenantId: string,
  id: string,
  change: {
    url?: string | undefined
    description?: string | undefined
    events?: string[] | undefined
    status?: EndpointRow['status'] | undefined
  },
  now: Date,
): Promise<EndpointRow['status'] | undefined> {
  const { url = null, description = null, events = null, status = null } = change
  const [row] = await tx.query(sql<Pick<EndpointRow, 'status'>>`
    update event_endpoints
    set url = coalesce(${url}, url), description = coalesce(${description}, description),
      events = coalesce(${events}::text[], events), status = coalesce(${status}, status), updated_at = ${now},
      disabled_reason = case when ${status}::text is null then disabled_reason end,
      disabled_at = case when ${status}::text is null then disabled_at end
    where tenant_id = ${tenantId} and id = ${id}
    returning status`)
  return row?.status
}

/** What failed before counts no more: it gets as much patience as a new one. */
export async function forgetFailures(tx: Tx, tenantId: string, endpointId: string): Promise<void> {
  await tx.query(sql`
    update event_queues
    set failures = 0, failing_since = null
    where tenant_id = ${tenantId} and endpoint_id = ${endpointId}`)
}

/** The secret there is becomes the old one; one that was old already ends. */
export async function replaceSecret(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  sealedSecret: string,
  oldUntil: Date | null,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update event_endpoints
    set secret = ${sealedSecret}, old_secret = case when ${oldUntil}::timestamptz is not null then secret end,
      old_secret_until = ${oldUntil}, updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${endpointId}
    returning id`)
  return rows.length > 0
}

/** With everything that waits for it. Attempts go with the events' time. */
export async function deleteEndpoint(
  tx: Tx,
  tenantId: string,
  endpointId: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from event_endpoints where tenant_id = ${tenantId} and id = ${endpointId} returning id`)
  await tx.query(
    sql`delete from event_deliveries where tenant_id = ${tenantId} and endpoint_id = ${endpointId}`,
  )
  return rows.length > 0
}

/** Those of these accounts that are this tenant's. */
export async function selectOwnAccounts(
  tx: Tx,
  tenantId: string,
  accountIds: string[],
): Promise<string[]> {
  const rows = await tx.query(sql<{ id: string }>`
    select id from whatsapp_accounts where tenant_id = ${tenantId} and id = any(${accountIds}::uuid[])`)
  return rows.map((row) => row.id)
}

/** An account has one responder: the last one named. */
export async function setResponders(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  accountIds: string[],
): Promise<void> {
  await tx.query(sql`
    delete from event_responders
    where tenant_id = ${tenantId} and endpoint_id = ${endpointId} and not account_id = any(${accountIds}::uuid[])`)
  await tx.query(sql`
    insert into event_responders (tenant_id, account_id, endpoint_id)
    select ${tenantId}, account_id, ${endpointId}
    from unnest(${accountIds}::uuid[]) as account_id
    order by account_id
    on conflict (tenant_id, account_id) do update set endpoint_id = excluded.endpoint_id`)
}

export interface DeliveryRow {
  id: string
  event_id: string
  event_type: string | null
  data: Record<string, unknown> | null
  event_at: Date | null
  status: 'pending' | 'running' | 'done' | 'failed'
  attempts: number
  next_run_at: Date
  last_error: string | null
  created_at: Date
  updated_at: Date
  /** Of the last attempt. */
  status_code: number | null
  duration_ms: number | null
}

/** Of one endpoint, the latest first; or that of one event. */
export async function selectDeliveries(
  tx: Tx,
  tenantId: string,
  endpointId: string,
  only: { eventId?: string; status?: string | undefined; after?: Place | null; limit: number },
): Promise<DeliveryRow[]> {
  return tx.query(sql<DeliveryRow>`
    select d.id, d.event_id, e.type as event_type, e.data, e.created_at as event_at, d.status, d.attempts, d.next_run_at,
      d.last_error, d.created_at, d.updated_at, a.status_code, a.duration_ms
    from event_deliveries d
    left join events e on e.tenant_id = d.tenant_id and e.id = d.event_id
    left join lateral (
      select status_code, duration_ms
      from event_attempts
      where tenant_id = d.tenant_id and delivery_id = d.id
      order by started_at desc
      limit 1
    ) as a on true
    where d.tenant_id = ${tenantId} and d.endpoint_id = ${endpointId}
      and (${only.eventId ?? null}::uuid is null or d.event_id = ${only.eventId ?? null})
      and (${only.status ?? null}::text is null or d.status = ${only.status ?? null})
      and (${only.after?.id ?? null}::uuid is null or d.position < (
        select a.position
        from event_deliveries a
        where a.tenant_id = ${tenantId} and a.endpoint_id = ${endpointId} and a.event_id = ${only.after?.id ?? null}))
    order by d.position desc
    limit ${only.limit}`)
}

export interface AttemptRow {
  started_at: Date
  finished_at: Date | null
  status_code: number | null
  error_code: string | null
  duration_ms: number | null
  answer: string | null
}

export async function selectAttempts(
  tx: Tx,
  tenantId: string,
  deliveryId: string,
): Promise<AttemptRow[]> {
  return tx.query(sql<AttemptRow>`
    select started_at, finished_at, status_code, error_code, duration_ms, answer
    from event_attempts
    where tenant_id = ${tenantId} and delivery_id = ${deliveryId}::bigint
    order by started_at, id
    limit 1000`)
}
