// What keeps messages on their way out.
import { edit, type Safeguard } from './safeguard.ts'

export const sending: Safeguard[] = [
  {
    name: 'fence of sends',
    without: 'a worker that lost its claim on a send would settle what another one is sending',
    edits: [
      edit(
        'migrations/0004_outbox.sql',
        'where o.tenant_id = x.tenant_id and o.id = x.id and o.attempt_id = x.attempt_id',
        'where o.tenant_id = x.tenant_id and o.id = x.id',
      ),
    ],
    noticedBy: {
      'src/outbox/queue.db.test.ts':
        'who was taken for dead settles nothing, and its work is done by another',
    },
  },
  {
    name: 'lease before the POST',
    without: 'a worker taken for dead would post what another one has by now',
    edits: [
      edit(
        'src/outbox/send.ts',
        'if (!isHeld()) return { value: undefined, proof: null }',
        'isHeld()',
      ),
    ],
    noticedBy: {
      'src/outbox/worker.db.test.ts':
        'a lease that runs out between the claim and the POST: not posted, and taken up by another',
    },
  },
  {
    name: 'claims nobody heard of',
    without:
      'a message claimed by a worker that never got the answer would stand still while that worker lives',
    edits: [
      edit(
        'src/queue/engine.ts',
        '(await giveBackForgotten(options, inHand.holdings)) || isDue',
        'isDue',
      ),
    ],
    noticedBy: {
      'src/outbox/worker.db.test.ts':
        'a claim whose answer is lost after the commit: given back, unspent, while the process lives on',
      'src/events/worker.db.test.ts':
        'a claim whose answer is lost after the commit is given back, unspent, while the process lives on',
    },
  },
  {
    name: 'what nobody holds is taken back',
    without:
      'a message claimed for a process that has left meanwhile would stand still for ever, and its contact’s line with it',
    edits: [
      edit(
        'migrations/0028_orphaned_claims.sql',
        '(o.worker_id = any(dead) or w.id is null)',
        'o.worker_id = any(dead)',
      ),
    ],
    noticedBy: {
      'src/queue/workers.db.test.ts': 'for what was claimed under it to be taken back',
    },
  },
  {
    name: 'a settlement counts once',
    without: 'a lost answer to its commit would count its POST and its call at Meta again',
    edits: [
      edit(
        'src/outbox/settle.ts',
        "return attempt === 'told' || (attempt === undefined && !isTried(result))",
        'return attempt === undefined && !isTried(result)',
      ),
    ],
    noticedBy: {
      'src/outbox/worker.db.test.ts':
        'a settlement whose answer is lost after the commit: counted once, and told',
    },
  },
  {
    name: 'reconcile: evidence',
    without: 'a send whose acceptance a status has proven would be sent again',
    edits: [
      edit(
        'src/outbox/send.ts',
        'if (context.acceptedAs !== null) return',
        'if (context.acceptedAs === undefined) return',
      ),
      edit(
        'src/outbox/settle.ts',
        'const open = results.filter(({ outcome }) => outcome.wamid === null)',
        'const open: SendResult[] = []',
      ),
      edit(
        'src/outbox/evidence.ts',
        'export async function settleProven(',
        'export async function settleProven(...none: unknown[]): Promise<void> {\n  void none\n}\n\nexport async function settleProvenLeftOut(',
      ),
    ],
    noticedBy: {
      'test/e2e/ambiguous-sends-are-resolved.test.ts':
        'none is doubled of which a status came within the wait',
      'test/e2e/evidence-ends-the-wait.test.ts':
        'ends the wait at once, and the next one to the contact goes out',
    },
  },
  {
    name: 'reconcile: the wait',
    without: 'an ambiguous send would be repeated while our own webhooks are behind',
    edits: [
      edit(
        'src/outbox/send.ts',
        'if (unknownForSeconds === null) return 0\n',
        'if (waitSeconds >= 0) return 0\n',
      ),
    ],
    noticedBy: {
      'src/outbox/send.test.ts': 'they do not come in now',
    },
  },
  {
    name: 'at most once',
    without: 'a message that must not be doubled would be tried again after a lost answer',
    edits: [
      edit(
        'src/outbox/send.ts',
        "(mayBeSent && send.delivery === 'at_most_once')",
        '(mayBeSent && send.attempts < 0)',
      ),
      edit(
        'src/outbox/decide.ts',
        "delayMs === null || send.delivery === 'at_most_once'",
        'delayMs === null',
      ),
    ],
    noticedBy: {
      'test/e2e/ambiguous-sends-are-resolved.test.ts': 'at most once: none is doubled at all',
      'src/outbox/decide.test.ts':
        'a lost answer waits for evidence, and ends it as unknown when there is none',
    },
  },
  {
    name: 'idempotency key',
    without: 'a call repeated after a lost answer would be a second message',
    edits: [
      edit(
        'src/outbox/queries.ts',
        'return new Set(rows.map((row) => row.id))',
        'return new Set([...rows.map((row) => row.id), ...keys.map((key) => key.messageId)])',
      ),
      edit(
        'src/outbox/enqueue.ts',
        'if (earlier && key) return { replayed: replay(earlier, key) }',
        'if (earlier && key === null) return { replayed: replay(earlier, earlier) }',
      ),
    ],
    noticedBy: {
      'test/e2e/a-message-is-sent-once.test.ts': 'gives the first answer again, and one message',
    },
  },
  {
    name: 'order per contact',
    without: 'a later message could overtake an earlier one',
    edits: [
      edit(
        'migrations/0015_rings.sql',
        "and o.status = 'pending' and o.lane_head and o.next_run_at <= now() and o.next_run_at >= from_run_at",
        "and o.status = 'pending' and o.next_run_at <= now() and o.next_run_at >= from_run_at",
      ),
    ],
    noticedBy: {
      'src/outbox/queue.db.test.ts':
        'a contact gets one at a time, the first first; contacts do not wait for each other',
    },
  },
  {
    name: 'cap per tenant',
    without: 'one tenant could take all that a worker can send at once',
    edits: [
      edit(
        'migrations/0015_rings.sql',
        "else 0 end - (\n          select count(*) from whatsapp_send_outbox o where o.tenant_id = t.id and o.status = 'running'))::int as room",
        'else 0 end)::int as room',
      ),
    ],
    noticedBy: {
      'src/outbox/queue.db.test.ts':
        'the cap is exact, whoever claims at the same time, and is the tenant’s own where it has one',
    },
  },
  {
    name: 'pace of a number',
    without: 'a number would send faster than Meta allows',
    edits: [
      edit(
        'migrations/0008_weather.sql',
        'create function send_gap(rate double precision) returns interval language sql immutable as $$',
        "create function send_gap(rate double precision) returns interval language sql immutable as $$ select interval '0' $$;\ncreate function send_gap_left_out(rate double precision) returns interval language sql immutable as $$",
      ),
    ],
    noticedBy: {
      'src/outbox/pace.db.test.ts': 'gives everyone a moment of its own, evenly, and not far ahead',
    },
  },
  {
    name: 'circuit of a number',
    without: 'a number that fails would be tried without pause',
    edits: [
      edit(
        'migrations/0015_rings.sql',
        'and (not n.circuit_open or n.trial_at <= moment and not exists (',
        'and (true or n.trial_at <= moment and not exists (',
      ),
      edit(
        'migrations/0015_rings.sql',
        'when n.circuit_open then least(1, r.room)',
        'when n.circuit_open then r.room',
      ),
    ],
    noticedBy: {
      'src/outbox/circuit.db.test.ts':
        'open, it is not claimed, and another number of the same tenant is',
    },
  },
  {
    name: 'opt-out before the POST',
    without: 'somebody who wants no more would still get what was claimed before their word',
    edits: [
      edit(
        'src/outbox/send.ts',
        'if (context.suppressedScope === null) return false',
        'if (context.suppressedScope !== undefined) return false',
      ),
    ],
    noticedBy: {
      'test/e2e/no-post-after-an-opt-out.test.ts': 'while a message is sent',
    },
  },
  {
    name: 'window before the POST',
    without: 'what waited past the 24 hours would be posted all the same',
    edits: [
      edit(
        'src/outbox/send.ts',
        'if (isOutsideWindow(send, context, now) && send.fallbackTemplate === null) {',
        'if (isOutsideWindow(send, context, now) && send.attempts < 0) {',
      ),
    ],
    noticedBy: {
      'test/e2e/the-window-is-checked-twice.test.ts':
        'a window that closed meanwhile: a dead letter, and no POST',
    },
  },
]
