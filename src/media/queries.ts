import { sql, type Tx } from '../db/connect.ts'
import type { FetchEnd, FetchJob, MediaRow, NewInbound, NewUpload } from './model.ts'

/** Due at once. `on conflict`: a message has one file, however often it is applied. */
export async function insertInbound(
  tx: Tx,
  files: NewInbound[],
  now: Date,
  until: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_media
      (id, tenant_id, origin, state, kind, mime_type, filename, correlation_id, created_at, kept_since, message_id,
       phone_number_id, meta_media_id, promised_sha256, next_run_at, fetch_until)
    select id, tenant_id, 'inbound', 'pending', kind, mime_type, filename, correlation_id, ${now}::timestamptz,
      ${now}::timestamptz, message_id, phone_number_id, meta_media_id, decode(sha256, 'hex'), now(), ${until}::timestamptz
    from unnest(
      ${files.map((file) => file.id)}::uuid[],
      ${files.map((file) => file.tenantId)}::uuid[],
      ${files.map((file) => file.kind)}::text[],
      ${files.map((file) => file.mimeType)}::text[],
      ${files.map((file) => file.filename)}::text[],
      ${files.map((file) => file.correlationId)}::uuid[],
      ${files.map((file) => file.messageId)}::uuid[],
      ${files.map((file) => file.phoneNumberId)}::text[],
      ${files.map((file) => file.metaMediaId)}::text[],
      ${files.map((file) => file.promisedSha256?.toString('hex') ?? null)}::text[])
      as file (id, tenant_id, kind, mime_type, filename, correlation_id, message_id, phone_number_id, meta_media_id, sha256)
    on conflict do nothing`)
}

export interface ShownMedia {
  id: string
  message_id: string | null
  state: MediaRow['state']
  bytes: number | null
  last_error: string | null
}

/** The files of these messages, and these files. */
export async function selectShown(
  tx: Tx,
  tenantId: string,
  messageIds: string[],
  ids: string[],
): Promise<ShownMedia[]> {
  return tx.query(sql<ShownMedia>`
    select id, message_id, state, bytes::float8 as bytes, last_error
    from whatsapp_media
    where tenant_id = ${tenantId} and message_id = any(${messageIds}::uuid[])
    union
    select id, message_id, state, bytes::float8, last_error
    from whatsapp_media
    where tenant_id = ${tenantId} and id = any(${ids}::uuid[])`)
}

/** In front of its bytes: should the process die between the two, the sweep knows what to remove. */
export async function insertUpload(tx: Tx, file: NewUpload, now: Date): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_media
      (id, tenant_id, origin, state, kind, mime_type, filename, bytes, sha256, correlation_id, created_at, kept_since)
    values (${file.id}, ${file.tenantId}, 'upload', 'uploading', ${file.kind}, ${file.mimeType}, ${file.filename},
      ${file.bytes}, ${file.sha256}, ${file.correlationId}, ${now}, ${now})`)
}

/** False when the sweep took it for abandoned meanwhile. */
export async function finishUpload(
  tx: Tx,
  tenantId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update whatsapp_media
    set state = 'stored', kept_since = ${now}
    where tenant_id = ${tenantId} and id = ${id} and state = 'uploading'
    returning id`)
  return rows.length > 0
}

export async function deleteUpload(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.query(sql`
    delete from whatsapp_media
    where tenant_id = ${tenantId} and id = ${id} and state = 'uploading'`)
}

export async function selectMedia(tx: Tx, tenantId: string, ids: string[]): Promise<MediaRow[]> {
  return tx.query(sql<MediaRow>`
    select id, tenant_id as "tenantId", state, kind, mime_type as "mimeType", filename, bytes::float8 as bytes, sha256,
      last_error as "lastError"
    from whatsapp_media
    where tenant_id = ${tenantId} and id = any(${ids}::uuid[])`)
}

/** Not more than once a day, so that sending one file to thousands does not write thousands of times. */
export async function keepLonger(
  tx: Tx,
  tenantId: string,
  ids: string[],
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_media
    set kept_since = ${now}
    where tenant_id = ${tenantId} and id = any(${ids}::uuid[]) and state = 'stored'
      and kept_since < ${now}::timestamptz - interval '1 day'`)
}

export interface Handle {
  mediaId: string
  metaMediaId: string
}

/** Under which ids Meta knows these files for this number, for a while yet. */
export async function selectHandles(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  mediaIds: string[],
  until: Date,
): Promise<Handle[]> {
  return tx.query(sql<Handle>`
    select media_id as "mediaId", meta_media_id as "metaMediaId"
    from whatsapp_media_handles
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and media_id = any(${mediaIds}::uuid[])
      and expires_at > ${until}`)
}

export async function saveHandle(
  tx: Tx,
  handle: Handle & { tenantId: string; phoneNumberId: string; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_media_handles (tenant_id, media_id, phone_number_id, meta_media_id, expires_at)
    values (${handle.tenantId}, ${handle.mediaId}, ${handle.phoneNumberId}, ${handle.metaMediaId}, ${handle.expiresAt})
    on conflict (tenant_id, media_id, phone_number_id) do update
    set meta_media_id = excluded.meta_media_id, expires_at = excluded.expires_at`)
}

/** Only if Meta knows it under this id still: somebody may have handed it over anew. */
export async function forgetHandle(
  tx: Tx,
  handle: Handle & { tenantId: string; phoneNumberId: string },
): Promise<void> {
  await tx.query(sql`
    delete from whatsapp_media_handles
    where tenant_id = ${handle.tenantId} and media_id = ${handle.mediaId}
      and phone_number_id = ${handle.phoneNumberId} and meta_media_id = ${handle.metaMediaId}`)
}

export interface FetchClaim {
  limit: number
  leaseSeconds: number
  /** The database's clock, unless a test says otherwise. */
  now: Date | null
}

/**
 * Leases what is due, round robin over the tenants that wait, so that a tenant whose whole history comes in holds up nobody.
 * The tenants are found by hopping through the index: as many probes as there are such tenants.
 */
export async function claimFetches(
  db: Tx,
  { limit, leaseSeconds, now }: FetchClaim,
): Promise<FetchJob[]> {
  return db.query(sql<FetchJob>`
    with recursive waiting as (
      (select tenant_id from whatsapp_media where next_run_at is not null order by tenant_id limit 1)
      union all
      select (
        select m.tenant_id
        from whatsapp_media m
        where m.next_run_at is not null and m.tenant_id > w.tenant_id
        order by m.tenant_id
        limit 1)
      from waiting w
      where w.tenant_id is not null
    ),
    due as materialized (
      select first.tenant_id, first.id
      from waiting w
      cross join lateral (
        select m.tenant_id, m.id, m.next_run_at, row_number() over (order by m.next_run_at, m.id) as place
        from whatsapp_media m
        where m.tenant_id = w.tenant_id and m.next_run_at <= coalesce(${now}::timestamptz, now())
        order by m.next_run_at, m.id
        limit ${limit}
      ) as first
      order by first.place, first.next_run_at
      limit ${limit}
    ),
    ours as materialized (
      select m.tenant_id, m.id
      from whatsapp_media m
      join due using (tenant_id, id)
      where m.next_run_at <= coalesce(${now}::timestamptz, now())
      for update of m skip locked
    )
    update whatsapp_media m
    set attempt = m.attempt + 1,
      next_run_at = coalesce(${now}::timestamptz, now()) + make_interval(secs => ${leaseSeconds})
    from ours
    where m.tenant_id = ours.tenant_id and m.id = ours.id
    returning m.id, m.tenant_id as "tenantId", m.attempt, m.failures, m.state, m.message_id as "messageId",
      m.phone_number_id as "phoneNumberId", m.meta_media_id as "metaMediaId", m.kind, m.mime_type as "mimeType",
      m.promised_sha256 as "promisedSha256", m.correlation_id as "correlationId", m.created_at as "createdAt",
      m.fetch_until <= coalesce(${now}::timestamptz, now()) as "isOver"`)
}

/** False when the claim is no longer ours. */
export async function settleFetch(
  db: Tx,
  job: FetchJob,
  end: FetchEnd,
  now: Date | null,
  keptSince: Date,
): Promise<boolean> {
  const rows = await db.query(sql`
    update whatsapp_media
    set state = ${end.state}, failures = failures + ${end.failures}, last_error = ${end.error},
      next_run_at = coalesce(${now}::timestamptz, now()) + make_interval(secs => ${end.delaySeconds}),
      bytes = ${end.stored?.bytes ?? null}, sha256 = ${end.stored?.sha256 ?? null},
      mime_type = coalesce(${end.stored?.mimeType ?? null}, mime_type),
      kept_since = ${keptSince}
    where tenant_id = ${job.tenantId} and id = ${job.id} and attempt = ${job.attempt} and next_run_at is not null
    returning id`)
  return rows.length > 0
}

/** What waited for this number's account is due now. */
export async function wakeFetches(tx: Tx, tenantId: string, phoneNumberId: string): Promise<void> {
  await tx.query(sql`
    update whatsapp_media
    set next_run_at = now()
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and next_run_at > now()
      and last_error in ('ACCOUNT_NEEDS_REAUTH', 'ACCOUNT_NOT_FOUND', 'ACCESS_REFUSED')`)
}

/** From here on nobody is given the file; its bytes follow. */
export async function markForRemoval(
  db: Tx,
  {
    storedBefore,
    uploadsBefore,
    limit,
  }: { storedBefore: Date; uploadsBefore: Date; limit: number },
): Promise<number> {
  const rows = await db.query(sql`
    update whatsapp_media m
    set state = 'deleting'
    from (
      select tenant_id, id
      from whatsapp_media
      where (state = 'stored' and kept_since < ${storedBefore}) or (state = 'uploading' and kept_since < ${uploadsBefore})
      order by kept_since
      limit ${limit}
      for update skip locked
    ) as old
    where m.tenant_id = old.tenant_id and m.id = old.id
    returning m.id`)
  return rows.length
}

export async function selectForRemoval(
  db: Tx,
  limit: number,
): Promise<{ tenantId: string; id: string }[]> {
  return db.query(sql<{ tenantId: string; id: string }>`
    select tenant_id as "tenantId", id
    from whatsapp_media
    where state = 'deleting'
    limit ${limit}`)
}

/** The bytes are gone. A message keeps the word that it had a file; an upload was nothing but the file. */
export async function forgetRemoved(db: Tx, tenantId: string, id: string): Promise<void> {
  await db.query(sql`
    update whatsapp_media
    set state = 'expired', last_error = coalesce(last_error, 'RETENTION'), filename = null, bytes = null, sha256 = null, promised_sha256 = null
    where tenant_id = ${tenantId} and id = ${id} and state = 'deleting' and origin = 'inbound'`)
  await db.query(sql`
    delete from whatsapp_media
    where tenant_id = ${tenantId} and id = ${id} and state = 'deleting' and origin = 'upload'`)
}
