// One row of every tenant table, parents before children. A new tenant table needs its row here.
import { sql, type Tx } from '../../src/db/connect.ts'

export interface SeededTenant {
  id: string
  conversationId: string
  contactId: string
}

/** Everything alike but what must differ: the tenant, its ids, and what is unique across tenants. */
export async function insertTenantRows(tx: Tx, digit: string): Promise<SeededTenant> {
  const id = `00000000-0000-7000-8000-${digit.repeat(12)}`
  const conversationId = `11111111-0000-7000-8000-${digit.repeat(12)}`
  const eventId = `22222222-0000-7000-8000-${digit.repeat(12)}`
  const contactId = `33333333-0000-7000-8000-${digit.repeat(12)}`
  const now = new Date('2026-09-01T12:00:00Z')
  await tx.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    values (${id}, 'A firm', ${`firm-${digit}`}, ${now}, ${now})`)
  await tx.query(sql`
    insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at)
    values (${eventId}, ${id}, 'a key', ${Buffer.from(digit)}, 'est_', ${now})`)
  await tx.query(sql`
    insert into whatsapp_accounts
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
    values (${eventId}, ${id}, 'waba', ${`number-${digit}`}, '+1', 'sealed', ${now}, ${now})`)
  await tx.query(sql`
    insert into signup_states (state_hash, tenant_id, started_by, created_at, expires_at)
    values (${Buffer.alloc(32, digit)}, ${id}, 'somebody', ${now}, ${now})`)
  await tx.query(sql`
    insert into people (id, tenant_id, email, name, role, created_at, updated_at)
    values (${eventId}, ${id}, ${`${digit}@firm.example`}, 'A person', 'agent', ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_webhook_dedupe (tenant_id, dedupe_key, event_type, created_at)
    values (${id}, 'wamid.1', 'inbound_message', ${now})`)
  await tx.query(sql`
    insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
    values (${contactId}, ${id}, '16505550143', ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_contact_aliases (tenant_id, wa_id, contact_id, created_at)
    values (${id}, '5215550143', ${contactId}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_conversations
      (id, tenant_id, phone_number_id, contact_id, contact_wa_id, last_message_at, created_at, updated_at)
    values (${conversationId}, ${id}, 'number', ${contactId}, '16505550143', ${now}, ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_suppressions
      (id, tenant_id, phone_number_id, contact_id, scope, is_active, changed_at, change_id, since, reason, created_at,
       updated_at)
    values (${eventId}, ${id}, 'number', ${contactId}, 'everything', true, ${now}, ${eventId}, ${now}, 'stop_word',
      ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_messages
      (id, tenant_id, phone_number_id, conversation_id, direction, type, wamid, status, content, occurred_at,
       created_at, correlation_id)
    values (${eventId}, ${id}, 'number', ${conversationId}, 'inbound', 'text', 'wamid.1', 'received', '{}', ${now},
      ${now}, ${eventId})`)
  await tx.query(sql`
    insert into whatsapp_message_statuses
      (tenant_id, wamid, status, phone_number_id, occurred_at, received_at, details, correlation_id)
    values (${id}, 'wamid.1', 'sent', 'number', ${now}, ${now}, '{}', ${eventId})`)
  await tx.query(sql`
    insert into whatsapp_message_changes (tenant_id, target_wamid, wamid, kind, actor, occurred_at, event_id)
    values (${id}, 'wamid.1', 'wamid.2', 'revoke', '16505550143', ${now}, ${eventId})`)
  await tx.query(sql`
    insert into whatsapp_account_events
      (id, tenant_id, contact_id, field, dedupe_key, content, occurred_at, created_at, event_id, correlation_id)
    values (${eventId}, ${id}, ${contactId}, 'security', 'key', '{}', ${now}, ${now}, ${eventId}, ${eventId})`)
  await tx.query(sql`
    insert into whatsapp_send_outbox
      (tenant_id, phone_number_id, message_id, status, next_run_at, lane, due_at, lane_head, payload, correlation_id)
    values (${id}, 'number', ${eventId}, 'done', ${now}, '16505550143', ${now}, false, '{}', ${eventId})`)
  await tx.query(sql`
    insert into send_attempts (id, tenant_id, outbox_id, worker_id)
    select ${eventId}, tenant_id, id, 1
    from whatsapp_send_outbox
    where tenant_id = ${id}`)
  await tx.query(sql`insert into send_tenants (tenant_id) values (${id})`)
  await tx.query(
    sql`insert into send_numbers (tenant_id, phone_number_id) values (${id}, 'number')`,
  )
  await tx.query(sql`
    insert into send_pairs (tenant_id, phone_number_id, pair, paced_until)
    values (${id}, 'number', 1, ${now})`)
  await tx.query(sql`
    insert into send_calls (tenant_id, phone_number_id, place, starts_at, calls, failures, unreachable)
    values (${id}, 'number', 1, ${now}, 1, 0, 0)`)
  await tx.query(sql`
    insert into idempotency_keys (tenant_id, key, request_sha256, message_id, conversation_id, created_at)
    values (${id}, 'key', '', ${eventId}, ${conversationId}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_templates
      (id, tenant_id, waba_id, name, language, status, status_at, category_at, quality_at, components_at, told_at,
       created_at, updated_at)
    values (${eventId}, ${id}, 'waba', 'notice', 'en', 'APPROVED', ${now}, ${now}, ${now}, ${now}, ${now}, ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_template_syncs (tenant_id, waba_id, next_sync_at, created_at)
    values (${id}, 'waba', ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_media
      (id, tenant_id, origin, state, kind, mime_type, correlation_id, created_at, kept_since, message_id, phone_number_id,
       meta_media_id, next_run_at, fetch_until)
    values (${eventId}, ${id}, 'inbound', 'pending', 'image', 'image/jpeg', ${eventId}, ${now}, ${now}, ${eventId}, 'number',
      '1', ${now}, ${now})`)
  await tx.query(sql`
    insert into whatsapp_media_handles (tenant_id, media_id, phone_number_id, meta_media_id, expires_at)
    values (${id}, ${eventId}, 'number', '1', ${now})`)
  await tx.query(sql`
    insert into dead_letters (id, tenant_id, kind, event_id, error_code, error_message, raw, created_at)
    values (${eventId}, ${id}, 'inbound', ${eventId}, 'X', 'x', '', ${now})`)
  // The rows above have told of themselves: alike, so that both tenants' events are.
  await tx.query(sql`delete from events where tenant_id = ${id}`)
  await tx.query(sql`
    insert into events (tenant_id, id, position, type, lane, data, created_at)
    values (${id}, ${eventId}, 1, 'message.received', 'lane', '{}', ${now})`)
  await tx.query(sql`
    insert into event_endpoints (tenant_id, id, url, events, secret, created_at, updated_at)
    values (${id}, ${eventId}, 'https://app.example/', '{*}', 'sealed', ${now}, ${now})`)
  await tx.query(sql`
    insert into event_responders (tenant_id, account_id, endpoint_id)
    values (${id}, ${eventId}, ${eventId})`)
  await tx.query(sql`
    insert into event_deliveries (tenant_id, endpoint_id, event_id, position, lane, status, next_run_at, lane_head)
    values (${id}, ${eventId}, ${eventId}, 1, 'lane', 'done', ${now}, false)`)
  await tx.query(sql`
    insert into event_attempts (id, tenant_id, delivery_id, worker_id)
    select ${eventId}, tenant_id, id, 1
    from event_deliveries
    where tenant_id = ${id}`)
  await tx.query(sql`insert into event_tenants (tenant_id) values (${id})`)
  await tx.query(sql`insert into event_queues (tenant_id, endpoint_id) values (${id}, ${eventId})`)
  await tx.query(sql`
    insert into alert_channels (id, tenant_id, kind, target, hint, created_at)
    values (${eventId}, ${id}, 'slack', 'sealed', 'https://chat.example/…', ${now})`)
  await tx.query(sql`
    insert into alerts (id, tenant_id, rule, subject, severity, since, fired_at, notified_at, count, summary)
    values (${eventId}, ${id}, 'reauth_needed', 'number', 'critical', ${now}, ${now}, ${now}, 1, 'something')`)
  await tx.query(sql`
    insert into alert_notifications
      (id, tenant_id, alert_id, channel_id, event, message, next_run_at, created_at, updated_at)
    values (${eventId}, ${id}, ${eventId}, ${eventId}, 'fired', '{}', ${now}, ${now}, ${now})`)
  await tx.query(sql`
    insert into alert_signals (tenant_id, rule, subject, count, first_at, last_at, active_until, reason)
    values (${id}, 'rate_limited', 'number', 1, ${now}, ${now}, ${now}, 'RATE_LIMITED')`)
  await tx.query(sql`
    insert into recent_tenant_latencies (tenant_id, minute, kind, process_id, bucket, count)
    values (${id}, ${now}, 'send', ${eventId}, 1, 1)`)
  await tx.query(sql`
    insert into health_history (tenant_id, step, at, accepted, refused, latencies)
    values (${id}, 'minute', ${now}, 1, 0, '{}')`)
  await tx.query(sql`
    insert into audit_chains (chain, tenant_id, position, hash)
    values (${id}, ${id}, 1, '')`)
  await tx.query(sql`
    insert into audit_log (chain, position, tenant_id, at, actor, action, subject, details, previous_hash, hash)
    values (${id}, 1, ${id}, ${now}, 'somebody', 'thing.done', 'thing', '{}', '', '')`)
  return { id, conversationId, contactId }
}
