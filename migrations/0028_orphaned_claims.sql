-- Also what is held by a process whose row is gone: no lease would ever end for it, so its contact's line would stand still
-- and its place among the tenant's sends be taken for good. It is taken back like that of the dead, counted from its claim.
create or replace function send_reap(reconcile interval, default_policy text, standard_seconds int[], patient_seconds int[])
returns table (tenant_id uuid, id bigint, message_id uuid) language plpgsql as $$
#variable_conflict use_column
declare dead bigint[]; held record; begin
  select coalesce(array_agg(d.id), '{}') into dead
  from (select w.id from send_workers w where w.alive_until < now() order by w.id for update skip locked) as d;
  select array_agg(o.tenant_id) as tenants, array_agg(o.id) as ids, array_agg(o.attempt_id) as attempts,
    array_agg(o.message_id) as messages, count(*)::int as count,
    array_agg(coalesce(w.alive_until, o.updated_at)) as ended_at,
    array_agg(coalesce(w.alive_until, o.updated_at) + greatest(reconcile, make_interval(secs =>
      case coalesce(c.retry_policy, default_policy)
        when 'patient' then patient_seconds[least(o.attempts + 1, cardinality(patient_seconds))]
        else standard_seconds[least(o.attempts + 1, cardinality(standard_seconds))] end))) as run_at
  into held
  from whatsapp_send_outbox o
  join tenants c on c.id = o.tenant_id
  left join send_workers w on w.id = o.worker_id
  where o.status = 'running' and (o.worker_id = any(dead) or w.id is null);
  if held.count > 0 then
    update send_attempts a
    set finished_at = greatest(d.ended_at, a.started_at), outcome = 'unknown', error_message = 'the worker died'
    from unnest(held.attempts, held.ended_at) as d (id, ended_at)
    where a.id = d.id and a.finished_at is null;
    return query
    select o.tenant_id, s.id, o.message_id
    from send_settle(held.tenants, held.ids, held.attempts, array_fill('pending'::text, array[held.count]),
      array_fill(1, array[held.count]), array_fill('the worker died'::text, array[held.count]), held.run_at) as s
    join unnest(held.tenants, held.ids, held.messages) as o (tenant_id, id, message_id) on o.id = s.id;
  end if;
  delete from send_workers w where w.id = any(dead);
end $$;
