// What is looked up right before a POST, and what is written down after it.
import type { Scope } from '../consent/model.ts'
import { sql, type Tx } from '../db/connect.ts'
import { inboxPatienceMs, longestBreakSeconds } from './inbox-pulse.ts'
import type { ClaimedSend } from './model.ts'

export interface SendContext {
  outboxId: string
  accountId: string | null
  sealedToken: string | null
  authStatus: 'ok' | 'needs_reauth' | null
  lastInboundAt: Date | null
  /** An earlier attempt at the message that Meta accepted after all: its answer was lost, and a status told of it. */
  acceptedAs: string | null
  /** Meta may have an earlier attempt, which ended so long ago, and nothing has told so far; null: there is none. */
  unknownForSeconds: number | null
  /** Meta answered an earlier attempt, which ended so long ago, with trouble of its own, and nothing has told whether it took it
   *  all the same; null: there is none. */
  troubledForSeconds: number | null
  /** How long webhooks have been received and processed without a break; null: they are not, or nothing is in doubt. */
  steadyForSeconds: number | null
  /** Since when the account has its token: tells it from a later one. */
  tokenSetAt: string | null
  /** What the contact wants no more of; null: nothing. The next two are said where that is marketing. */
  suppressedScope: Scope | null
  isMarketing: boolean | null
  isFallbackMarketing: boolean | null
  /** What the mirror says of the template that it is, or else falls back to; null when it does not know it. */
  templateStatus: string | null
  isTemplateGone: boolean
}

export async function selectContexts(
  db: Tx,
  sends: ClaimedSend[],
  now: Date,
  longestBreak = longestBreakSeconds,
): Promise<SendContext[]> {
  const receivedBefore = new Date(now.getTime() - inboxPatienceMs)
  return db.query(sql<SendContext>`
    select claimed.id as "outboxId", a.id as "accountId", a.access_token as "sealedToken",
      a.auth_status as "authStatus", c.last_inbound_at as "lastInboundAt", (
        select t.wamid
        from whatsapp_send_outbox o
        join send_attempts t on t.tenant_id = o.tenant_id and t.outbox_id = o.id
        where o.tenant_id = claimed.tenant_id and o.message_id = claimed.message_id and t.wamid is not null
          -- One of an earlier row that failed later is why there is this row; one of this row has been heard of already.
          and (o.id = claimed.id or not exists (
            select
            from whatsapp_message_statuses s
            where s.tenant_id = t.tenant_id and s.wamid = t.wamid and s.status = 'failed'))
        limit 1) as "acceptedAs", a.token_set_at::text as "tokenSetAt", 
      doubt."unknownForSeconds", doubt."troubledForSeconds",
      case when coalesce(doubt."unknownForSeconds", doubt."troubledForSeconds") is not null then extract(epoch from
        now() - inbox_steady_since(${receivedBefore}, make_interval(secs => ${longestBreak})))::float8
        end as "steadyForSeconds",
      s.scope as "suppressedScope", s.is_marketing as "isMarketing", s.is_fallback_marketing as "isFallbackMarketing",
      mirror.status as "templateStatus", mirror.gone_at is not null as "isTemplateGone"
    from unnest(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.id)}::bigint[],
      ${sends.map((send) => send.messageId)}::uuid[],
      ${sends.map((send) => send.phoneNumberId)}::text[],
      ${sends.map((send) => templateOf(send)?.name ?? null)}::text[],
      ${sends.map((send) => templateOf(send)?.language ?? null)}::text[])
      as claimed (tenant_id, id, message_id, phone_number_id, template_name, template_language)
    join whatsapp_messages m on m.tenant_id = claimed.tenant_id and m.id = claimed.message_id
    left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    left join whatsapp_accounts a
      on a.tenant_id = claimed.tenant_id and a.phone_number_id = claimed.phone_number_id
    cross join lateral (
      select extract(epoch from now() - max(t.finished_at) filter (where t.outcome = 'unknown'))::float8
          as "unknownForSeconds",
        extract(epoch from now() - max(t.finished_at) filter (where t.outcome = 'transient'))::float8
          as "troubledForSeconds"
      from send_attempts t
      where t.tenant_id = claimed.tenant_id and t.outbox_id = claimed.id and t.outcome in ('unknown', 'transient')
        and t.wamid is null
    ) as doubt
    left join lateral (
      select s.scope, is_marketing(o.tenant_id, o.phone_number_id, o.payload) as is_marketing,
        is_marketing(o.tenant_id, o.phone_number_id, o.fallback_template) as is_fallback_marketing
      from whatsapp_suppressions s
      join whatsapp_send_outbox o on o.tenant_id = claimed.tenant_id and o.id = claimed.id
      where s.tenant_id = c.tenant_id and s.phone_number_id = claimed.phone_number_id and s.contact_id = c.contact_id
        and s.is_active
      order by s.scope
      limit 1
    ) as s on true
    left join whatsapp_templates mirror
      on mirror.tenant_id = a.tenant_id and mirror.waba_id = a.waba_id and mirror.name = claimed.template_name
        and mirror.language = claimed.template_language`)
}

/** The template that it is, or else falls back to: checked when it was accepted. */
function templateOf({ payload, fallbackTemplate }: ClaimedSend) {
  const content = payload.type === 'template' ? payload : fallbackTemplate
  const template = content?.template as { name?: string; language?: { code?: string } } | undefined
  return template && { name: template.name, language: template.language?.code }
}

/**
 * The wamids of those sends of which it is known, whichever attempt at the message it was, that Meta has them. By outbox id.
 * (As acceptedAs above: an attempt of an earlier row that failed later is why there is this row.)
 */
export async function selectEvidence(tx: Tx, sends: ClaimedSend[]): Promise<Map<string, string>> {
  const rows = await tx.query(sql<{ id: string; wamid: string }>`
    select distinct on (asked.tenant_id, asked.id) asked.id, t.wamid
    from unnest(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.id)}::bigint[],
      ${sends.map((send) => send.messageId)}::uuid[]) as asked (tenant_id, id, message_id)
    join whatsapp_send_outbox o on o.tenant_id = asked.tenant_id and o.message_id = asked.message_id
    join send_attempts t on t.tenant_id = o.tenant_id and t.outbox_id = o.id
    where t.wamid is not null
      and (o.id = asked.id or not exists (
        select
        from whatsapp_message_statuses s
        where s.tenant_id = t.tenant_id and s.wamid = t.wamid and s.status = 'failed'))
    order by asked.tenant_id, asked.id, o.id = asked.id desc, t.started_at, t.id`)
  return new Map(rows.map((row) => [row.id, row.wamid]))
}

/** What Meta does not take outside the window becomes the template that was given for this, which nobody was called for yet. */
export async function switchToFallback(tx: Tx, sends: ClaimedSend[]): Promise<void> {
  await tx.query(sql`
    update whatsapp_send_outbox o
    set payload = o.fallback_template, fallback_template = null, rung_for = null
    from unnest(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.id)}::bigint[]) as switched (tenant_id, id)
    where o.tenant_id = switched.tenant_id and o.id = switched.id and o.fallback_template is not null`)
}

export interface AttemptEnd {
  attemptId: string
  tenantId: string
  outcome: string
  wamid?: string | null
  statusCode?: number | null
  providerCode?: number | null
  providerSubcode?: number | null
  errorMessage?: string | null
  fbtraceId?: string | null
}

/**
 * Locks attempts, then their messages, in the orders of evidence-queries.ts. By attempt: whether its own sender has told
 * what came of it (that it died is said by others).
 */
export async function holdAttempts(
  tx: Tx,
  sends: ClaimedSend[],
): Promise<Map<string, 'open' | 'told'>> {
  const tenants = sends.map((send) => send.tenantId)
  const attempts = await tx.query(sql<{ id: string; isTold: boolean }>`
    select a.id, a.outcome is not null and a.error_message is distinct from 'the worker died' as "isTold"
    from unnest(
      ${tenants}::uuid[],
      ${sends.map((send) => send.attemptId)}::uuid[]) as held (tenant_id, id)
    join send_attempts a on a.tenant_id = held.tenant_id and a.id = held.id
    order by a.id
    for update of a`)
  await tx.query(sql`
    select
    from unnest(
      ${tenants}::uuid[],
      ${sends.map((send) => send.messageId)}::uuid[]) as held (tenant_id, id)
    join whatsapp_messages m on m.tenant_id = held.tenant_id and m.id = held.id
    order by m.tenant_id, m.id
    for no key update of m`)
  return new Map(attempts.map(({ id, isTold }) => [id, isTold ? 'told' : 'open']))
}

/** Claims that were given back before Meta was asked for any of them were none. */
export async function dropAttempts(
  tx: Tx,
  sends: Pick<ClaimedSend, 'tenantId' | 'attemptId'>[],
): Promise<void> {
  await tx.query(sql`
    delete from send_attempts a
    using unnest(
      ${sends.map((send) => send.tenantId)}::uuid[],
      ${sends.map((send) => send.attemptId)}::uuid[]) as dropped (tenant_id, id)
    where a.tenant_id = dropped.tenant_id and a.id = dropped.id`)
}

/** Whoever holds the row by now: what this attempt came to is a fact. In the order in which statuses lock attempts. */
export async function endAttempts(tx: Tx, ended: AttemptEnd[]): Promise<void> {
  const ends = ended.toSorted((a, b) => (a.attemptId < b.attemptId ? -1 : 1))
  await tx.query(sql`
    update send_attempts a
    set finished_at = coalesce(a.finished_at, now()), outcome = ended.outcome, wamid = coalesce(ended.wamid, a.wamid),
      status_code = ended.status_code, provider_code = ended.provider_code,
      provider_subcode = ended.provider_subcode, error_message = ended.error_message, fbtrace_id = ended.fbtrace_id
    from unnest(
      ${ends.map((end) => end.tenantId)}::uuid[],
      ${ends.map((end) => end.attemptId)}::uuid[],
      ${ends.map((end) => end.outcome)}::text[],
      ${ends.map((end) => end.wamid ?? null)}::text[],
      ${ends.map((end) => end.statusCode ?? null)}::int[],
      ${ends.map((end) => end.providerCode ?? null)}::int[],
      ${ends.map((end) => end.providerSubcode ?? null)}::int[],
      ${ends.map((end) => end.errorMessage ?? null)}::text[],
      ${ends.map((end) => end.fbtraceId ?? null)}::text[])
      as ended (tenant_id, id, outcome, wamid, status_code, provider_code, provider_subcode, error_message, fbtrace_id)
    where a.tenant_id = ended.tenant_id and a.id = ended.id`)
}

export interface MessageEnd {
  tenantId: string
  messageId: string
  outboxId: string
  /** How many times Meta was asked in this attempt: 0 or 1. */
  posts: number
  status: 'sent' | 'failed' | 'unknown' | null
  wamid: string | null
  error: Record<string, unknown> | null
}

/**
 * A step that is lower than where the message is already, thanks to an early status, takes nothing back; nor does a second
 * acceptance, when a status told of the first meanwhile. The message shows its newest row: what comes of an older one
 * counts as a POST and no more.
 */
export async function endMessages(tx: Tx, ends: MessageEnd[], now: Date): Promise<void> {
  await tx.query(sql`
    with told as materialized (
      select *, not exists (
          select
          from whatsapp_send_outbox o
          where o.tenant_id = e.tenant_id and o.message_id = e.id and o.id > e.outbox_id) as is_newest
        from unnest(
          ${ends.map((end) => end.tenantId)}::uuid[],
          ${ends.map((end) => end.messageId)}::uuid[],
          ${ends.map((end) => end.outboxId)}::bigint[],
          ${ends.map((end) => end.posts)}::int[],
          ${ends.map((end) => end.status)}::text[],
          ${ends.map((end) => end.wamid)}::text[],
          ${ends.map((end) => (end.error === null ? null : JSON.stringify(end.error)))}::jsonb[])
          as e (tenant_id, id, outbox_id, posts, status, wamid, error)
    )
    update whatsapp_messages m
    set attempts = m.attempts + ended.posts,
      wamid = case when ended.status = 'sent' and m.wamid is not null and m.status <> 'failed' then m.wamid
        else coalesce(ended.wamid, m.wamid) end,
      accepted_at = case when ended.status = 'sent' then coalesce(m.accepted_at, ${now}) else m.accepted_at end,
      (status, error, ended_at) = (
        select
          case when is_kept then m.status else ended.status end,
          case when is_kept then m.error when ended.status <> 'sent' then ended.error end,
          case when is_kept then m.ended_at when ended.status <> 'sent' then ${now}::timestamptz end
        from (
          select ended.status is null
            -- It has arrived: no later attempt changes that.
            or message_status_rank(m.status) >= 4
            or (ended.status = 'sent' and message_status_rank(m.status) >= 2
              and (m.wamid = ended.wamid or m.status <> 'failed')) as is_kept
        ) as known)
    from (
      select tenant_id, id, posts, error, case when is_newest then status end as status,
        case when is_newest then wamid end as wamid
      from told
    ) as ended
    where m.tenant_id = ended.tenant_id and m.id = ended.id and m.status <> 'cancelled'`)
}
