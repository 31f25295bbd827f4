-- How often an event had been claimed when it was last asked for again. What is counted from there on makes it a suspect;
-- what went through before does not, or a second replay would be worked one event at a time (20 times as long, measured).
alter table whatsapp_webhook_events add column attempts_before int not null default 0;
