-- A letter that was resolved and is open again waits for a person like a new one, so the application hears of it like of one.
create trigger tell_reopened_letter after update of state on dead_letters for each row
  when (new.tenant_id is not null and old.state = 'resolved' and new.state = 'open') execute function tell_dead_letter();
