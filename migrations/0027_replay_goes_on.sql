-- A replay of more events than one call takes goes on where the call before ended: what it brought back is done again soon
-- after, so without a place to go on from the next call would bring back the same. The version before calls the functions
-- without a place: they stay.

create function delivery_replayable(tenant uuid, endpoint uuid, since timestamptz, until timestamptz, only_ids uuid[],
  only_failed boolean, after bigint, at_most int)
returns table (event_id uuid, event_position bigint, event_lane text, delivery_id bigint, asks boolean)
language sql stable as $$
  select e.id, e.position, e.lane, d.id, r.endpoint_id is not null
  from events e
  join event_endpoints p on p.tenant_id = e.tenant_id and p.id = endpoint
  left join event_deliveries d on d.tenant_id = e.tenant_id and d.endpoint_id = endpoint and d.event_id = e.id
  left join (event_responders r join whatsapp_accounts a on a.tenant_id = r.tenant_id and a.id = r.account_id)
    on e.type = 'message.received' and r.tenant_id = e.tenant_id and r.endpoint_id = endpoint
      and a.phone_number_id = e.phone_number_id
  where e.tenant_id = tenant and e.position is not null
    and (after is null or e.position > after)
    and coalesce(e.only_endpoint, endpoint) = endpoint
    and (since is null or e.created_at >= since) and (until is null or e.created_at < until)
    and (only_ids is null or e.id = any(only_ids))
    and (d.id is not null or (not only_failed
      and (e.type = any(p.events) or '*' = any(p.events) or r.endpoint_id is not null)))
    and coalesce(d.status, 'none') not in ('pending', 'running')
    and (not only_failed or d.status = 'failed')
  order by e.position
  limit at_most
$$;

create function delivery_replay(tenant uuid, endpoint uuid, since timestamptz, until timestamptz, only_ids uuid[],
  only_failed boolean, after bigint, at_most int)
returns table (replayed int, last_position bigint) language plpgsql as $$
declare touched text[]; begin
  insert into event_tenants (tenant_id) values (tenant) on conflict do nothing;
  perform 1 from event_tenants t where t.tenant_id = tenant for no key update;
  with chosen as materialized (
    select * from delivery_replayable(tenant, endpoint, since, until, only_ids, only_failed, after, at_most)
  ),
  again as (
    update event_deliveries d
    set status = 'pending', lane_head = false, asks = c.asks, attempts = 0, next_run_at = now(), last_error = null,
      updated_at = now()
    from chosen c
    where d.tenant_id = tenant and d.id = c.delivery_id
  ),
  made as (
    insert into event_deliveries (tenant_id, endpoint_id, event_id, position, lane, asks, next_run_at, lane_head)
    select tenant, endpoint, c.event_id, c.event_position, c.event_lane, c.asks, now(), false
    from chosen c
    where c.delivery_id is null
  )
  select array_agg(c.event_lane), count(*)::int, max(c.event_position) into touched, replayed, last_position from chosen c;
  if touched is not null then perform delivery_heads(tenant, endpoint, touched); end if;
  return next;
end $$;
