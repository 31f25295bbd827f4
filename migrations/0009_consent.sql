-- Consent: who wants no messages from which number, since when and why; and replies that the gateway makes by itself.

-- One row per number, contact and kind: the latest word counts, by Meta's clock, whatever order the words come in. A row
-- can say `not any more` without ever having said `stop`: then an older stop that comes late changes nothing.
create table whatsapp_suppressions (
  id uuid not null,
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  contact_id uuid not null,
  -- `marketing`: templates of that category. `everything`: whatever it is.
  scope text not null check (scope in ('marketing', 'everything')),
  is_active boolean not null,
  -- The latest word: when it was said, and which of two of one second came later (a UUIDv7 in the order of arrival).
  changed_at timestamptz not null,
  change_id uuid not null,
  since timestamptz,
  reason text check (reason in ('user_preferences', 'marketing_refused', 'stop_word', 'blocked', 'operator')),
  -- Who suppressed it by hand, and their words.
  set_by text,
  note text,
  lifted_at timestamptz,
  -- `contact`, or who did it by hand, and their words.
  lifted_by text,
  lift_note text,
  -- The webhook that the latest word came in; null: another way.
  event_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, contact_id) references whatsapp_contacts (tenant_id, id),
  check (not is_active or (since is not null and reason is not null))
);
create unique index whatsapp_suppressions_of_contact
  on whatsapp_suppressions (tenant_id, phone_number_id, contact_id, scope);
create index whatsapp_suppressions_by_contact on whatsapp_suppressions (tenant_id, contact_id);
create index whatsapp_suppressions_recent on whatsapp_suppressions (tenant_id, updated_at desc, id desc);

-- MARKETING, UTILITY, AUTHENTICATION as Meta calls them; null while nobody knows. `template` is what a message names:
-- {"name": …, "language": {"code": …}}. The one place that says where categories come from.
create function template_category(tenant uuid, number text, template jsonb) returns text
language sql stable
return null::text;

-- What nobody knows the category of is treated as marketing: sent by mistake it would be against somebody's will.
create function is_marketing(tenant uuid, number text, payload jsonb) returns boolean
language sql stable
return coalesce(payload ->> 'type' = 'template'
  and coalesce(upper(template_category(tenant, number, payload -> 'template')), 'MARKETING') = 'MARKETING', false);

-- Whether the contact wrote after that word. (Whoever wrote a stop word after it has a later word of their own.)
create function has_written_since(tenant uuid, number text, contact uuid, said_at timestamptz, word_id uuid)
returns boolean
language sql stable
return exists (
  select
  from whatsapp_conversations c
  join whatsapp_messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
  where c.tenant_id = tenant and c.phone_number_id = number and c.contact_id = contact and c.merged_into is null
    and m.occurred_at >= said_at and (m.occurred_at, m.id) > (said_at, word_id)
    and m.direction = 'inbound' and m.origin = 'live'
    and m.type not in ('system', 'reaction', 'edit', 'revoke', 'request_welcome'));

-- send_enqueue, and then, under the same lock, whom of these recipients an opt-out covers that was not seen before: it
-- either committed before the lock was ours, or will find these rows waiting.
create function send_enqueue_heeding(tenants uuid[], numbers text[], lanes text[], messages uuid[], due timestamptz[],
  payloads jsonb[], fallbacks jsonb[], callbacks text[], deliveries text[], expiries timestamptz[], correlations uuid[],
  parents bigint[])
returns table (tenant_id uuid, phone_number_id text, contact_id uuid, scope text) language plpgsql as $$
#variable_conflict use_column
begin
  perform send_enqueue(tenants, numbers, lanes, messages, due, payloads, fallbacks, callbacks, deliveries, expiries,
    correlations, parents);
  return query
  select distinct s.tenant_id, s.phone_number_id, s.contact_id, s.scope
  from unnest(tenants, messages) as x (tenant_id, id)
  join whatsapp_messages m on m.tenant_id = x.tenant_id and m.id = x.id
  join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
  join whatsapp_suppressions s on s.tenant_id = c.tenant_id and s.phone_number_id = c.phone_number_id
    and s.contact_id = c.contact_id and s.is_active;
end $$;

-- Takes out of the queue what waits for contacts who want no more of it, under their tenants' locks. What Meta may have
-- already stays: it is not posted again (send.ts), but a status may yet tell that it was sent.
create function send_end_suppressed(tenants uuid[], numbers text[], contacts uuid[], scopes text[])
returns table (tenant_id uuid, id bigint, message_id uuid, phone_number_id text, payload jsonb, correlation_id uuid)
language plpgsql as $$
#variable_conflict use_column
declare waiting record; begin
  insert into send_tenants (tenant_id) select distinct t from unnest(tenants) as t order by t on conflict do nothing;
  perform 1 from send_tenants s where s.tenant_id = any(tenants) order by s.tenant_id for no key update;
  for waiting in
    select distinct o.tenant_id, o.id, o.message_id, o.phone_number_id, o.payload, o.correlation_id
    from unnest(tenants, numbers, contacts, scopes) as x (tenant_id, phone_number_id, contact_id, scope)
    join whatsapp_conversations c on c.tenant_id = x.tenant_id and c.phone_number_id = x.phone_number_id
      and c.contact_id = x.contact_id and c.merged_into is null
    join whatsapp_messages m on m.tenant_id = c.tenant_id and m.conversation_id = c.id
      and m.direction = 'outbound' and m.status = 'queued'
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id and o.status = 'pending'
    where (x.scope = 'everything' or is_marketing(o.tenant_id, o.phone_number_id, o.payload))
      and not exists (
        select
        from send_attempts a
        where a.tenant_id = o.tenant_id and a.outbox_id = o.id and (a.outcome = 'unknown' or a.wamid is not null))
    order by o.tenant_id, o.id
  loop
    if send_withdraw(waiting.tenant_id, waiting.id, 'RECIPIENT_SUPPRESSED') then
      tenant_id := waiting.tenant_id;
      id := waiting.id;
      message_id := waiting.message_id;
      phone_number_id := waiting.phone_number_id;
      payload := waiting.payload;
      correlation_id := waiting.correlation_id;
      return next;
    end if;
  end loop;
end $$;

alter function send_enqueue_heeding set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off;

-- Null: the gateway's own list. Empty: none.
alter table tenants add column stop_words text[];

alter table whatsapp_accounts
  add column responder text not null default 'off' check (responder in ('off', 'echo', 'auto_reply')),
  add column auto_reply_text text check (auto_reply_text <> ''),
  add check (responder <> 'auto_reply' or auto_reply_text is not null);
-- Whether somebody who writes is a number connected here.
create index whatsapp_accounts_digits on whatsapp_accounts (regexp_replace(display_phone_number, '[^0-9]', '', 'g'));

-- Made by a responder.
alter table whatsapp_messages add column automatic boolean not null default false;
alter table whatsapp_conversations
  add column automatic_at timestamptz,
  -- How many automatic replies there were without an hour's rest between two of them.
  add column automatic_streak int not null default 0;

do $$
begin
  create policy own_tenant on whatsapp_suppressions to estafet_tenant using (tenant_id = current_tenant())
    with check (tenant_id = current_tenant());
  alter table whatsapp_suppressions enable row level security;
  alter table whatsapp_suppressions force row level security;
  create policy all_tenants on whatsapp_suppressions to estafet_system using (true) with check (true);
  grant select, insert, update, delete on whatsapp_suppressions to estafet_system;
  grant select on whatsapp_suppressions to estafet_tenant;
end $$;
