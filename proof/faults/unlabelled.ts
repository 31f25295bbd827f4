// Files of the sources that commit something and have no crash point, and why none is needed: a new one is to be thought about.

/** The caller hears of it after the commit, nothing follows that commit, and who asks again finds it done. */
const anAct = 'an act of somebody: one commit, answered after it'
const aLook = 'only reads, in one snapshot'
const aRound = 'one commit, and the next round does what this one did not'

export const unlabelled: Record<string, string> = {
  'src/accounts/change.ts': anAct,
  'src/accounts/connect.ts': anAct,
  'src/accounts/doctor/examine.ts': 'what Meta said of a number, which the next look asks again',
  'src/accounts/routes.ts': anAct,
  'src/accounts/signup/audit.ts': 'a refusal is put on record, after which nothing else is done',
  'src/accounts/signup/state.ts':
    'made in one commit and taken in another, whose label stands behind its caller',
  'src/alerts/channels.ts': anAct,
  'src/alerts/queue-queries.ts':
    'a claim, which ends with its time like one whose process died at alerts.before-post',
  'src/commands/dev.ts': 'sets up a database that is thrown away',
  'src/commands/manage.ts': anAct,
  'src/commands/people.ts': anAct,
  'src/consent/suppress.ts': anAct,
  'src/db/retry.ts': 'does what it is given: its callers have the labels',
  'src/dead-letters/list.ts': aLook,
  'src/events/manage.ts': anAct,
  'src/events/queue-queries.ts': aRound,
  'src/ops/history.ts': aRound,
  'src/ops/message-trace.ts': aLook,
  'src/ops/reconcile.ts': aLook,
  'src/ops/replay.ts':
    'an act in batches, each with its record: whoever asks again goes on where it ended',
  'src/outbox/cancel.ts': anAct,
  'src/outbox/follow-up.ts':
    'what it would have written is told again: by the next status or answer, or found after the wait',
  'src/outbox/queue-queries.ts': aRound,
  'src/outbox/weather.ts': 'a hold on numbers that share a limit, which the next 429 sets again',
  'src/people/links.ts': anAct,
  'src/people/routes.ts': anAct,
  'src/people/session-routes.ts': anAct,
  'src/people/sign-in.ts': anAct,
  'src/queue/workers.ts': 'a lease that is not given back runs out',
  'src/tenants/create.ts': anAct,
  'src/tenants/routes.ts': anAct,
}
