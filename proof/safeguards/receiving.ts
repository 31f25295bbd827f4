// What keeps messages and statuses that came in.
import { edit, type Safeguard } from './safeguard.ts'

export const receiving: Safeguard[] = [
  {
    name: 'signature check',
    without: 'anybody could hand in webhooks',
    edits: [
      edit(
        'src/meta/signature.ts',
        'signed = timingSafeEqual(expected, claimedBytes) || signed',
        'signed = timingSafeEqual(expected, claimedBytes) || true',
      ),
    ],
    noticedBy: {
      'test/e2e/only-meta-may-deliver.test.ts': 'one over other bytes',
    },
  },
  {
    name: 'answer after the commit',
    without: 'a webhook would be acknowledged before it is stored',
    edits: [
      edit(
        'src/inbox/receive.ts',
        'const outcome = await batch.submit(event)',
        "void batch.submit(event).catch(() => undefined)\n      const outcome: string = 'stored'",
      ),
    ],
    noticedBy: {
      'test/e2e/kill-nine-loses-no-acknowledged-webhook.test.ts': 'times under load and restarted',
      'test/e2e/postgres-away.test.ts':
        'the answer to a commit is lost: 500, and the redelivery finds it stored',
    },
  },
  {
    name: 'durable commit',
    without: 'a commit would be answered before it is on disk',
    edits: [
      edit(
        'src/db/connect.ts',
        'options: `-c role=$',
        'options: `-c synchronous_commit=off -c role=$',
      ),
      // It would be noticed at the start, and nothing taken in.
      edit('src/db/durability.ts', "and setting = 'off'", "and setting = 'unheard of'"),
    ],
    noticedBy: {
      'test/e2e/kill-nine-loses-no-acknowledged-webhook.test.ts':
        'Postgres itself is killed under load; the same gateway goes on',
    },
  },
  {
    name: 'dedupe key of messages',
    without: 'a message delivered twice would be there twice',
    edits: [
      edit(
        'src/inbox/queries.ts',
        'return new Set(rows.map((row) => row.key))',
        "return new Set(keys.map(({ tenantId, eventType, key }) => [tenantId, eventType, key].join(' ')))",
      ),
      edit(
        'src/conversations/record-message.ts',
        'const known = new Set(await existingWamids(tx, messages))',
        'const known = new Set((await existingWamids(tx, messages)).slice(0, 0))',
      ),
      edit('migrations/0001_init.sql', 'unique (tenant_id, wamid)', 'check (true)'),
    ],
    noticedBy: {
      'test/e2e/the-same-webhook-has-one-effect.test.ts':
        'the single item of an earlier batch, delivered alone, has no second effect',
    },
  },
  {
    name: 'key and effect in one commit',
    without:
      'a message whose worker died between its key and its row would be taken for a duplicate',
    edits: [
      edit(
        'src/inbox/process.ts',
        'const applied = await applyItems(ours, {\n        tx,',
        'const applied = await applyItems(ours, {\n        keysTx: db,\n        tx,',
      ),
      edit(
        'src/inbox/apply.ts',
        'interface Context {\n  tx: Tx',
        'interface Context {\n  keysTx?: Tx\n  tx: Tx',
      ),
      edit(
        'src/inbox/apply.ts',
        'const fresh = await insertDedupeKeys(\n    tx,',
        'const fresh = await insertDedupeKeys(\n    context.keysTx ?? tx,',
      ),
    ],
    noticedBy: {
      'test/e2e/only-the-bad-item-suffers.test.ts':
        'is tried again after a back-off, and then applied',
    },
  },
  {
    name: 'fence of events',
    without: 'a worker that lost its claim on a webhook would go on applying it',
    edits: [
      edit(
        'src/inbox/queries.ts',
        'as claimed (id, attempt) using (id, attempt)',
        'as claimed (id, attempt) using (id)',
      ),
    ],
    noticedBy: {
      'test/e2e/a-lost-claim-has-no-effect.test.ts':
        'before it began, applies nothing and settles nothing',
    },
  },
  {
    name: 'suspects are claimed alone',
    without: 'webhooks that merely waited behind one that ends processes would die with it',
    edits: [
      edit(
        'src/inbox/queries.ts',
        'and (place = 1 or not (is_suspect or is_for_suspect))',
        'and place > 0 and (is_suspect or is_for_suspect) is not null',
      ),
    ],
    noticedBy: {
      'src/inbox/retry.db.test.ts':
        'suspects are claimed one by one, in their turn, and those who are none together',
    },
  },
  {
    name: 'ladder of statuses',
    without: 'a late status would undo a later step',
    edits: [
      edit(
        'src/conversations/queries.ts',
        'and message_status_rank(h.status) > message_status_rank(m.status)`)',
        'and h.status <> m.status`)',
      ),
    ],
    noticedBy: {
      'src/conversations/apply-status.db.test.ts':
        'every order of any steps, with repetitions, comes to the same state',
    },
  },
  {
    name: 'early statuses are joined',
    without: 'a status that comes before the answer to its send would be forgotten',
    edits: [
      edit(
        'src/conversations/apply-status.ts',
        'const early = await statusesOf(tx, messages)',
        'const early = (await statusesOf(tx, messages)).slice(0, 0)',
      ),
    ],
    noticedBy: {
      'src/conversations/apply-status.db.test.ts': 'is kept, and joined when the message appears',
    },
  },
  {
    name: 'only the bad item suffers',
    without: 'one item that cannot be applied would take its whole delivery with it',
    edits: [
      edit(
        'src/inbox/process.ts',
        'letters.push(putAside(inbox, one.event, item, error, dead))',
        'throw error',
      ),
    ],
    noticedBy: {
      'test/e2e/only-the-bad-item-suffers.test.ts':
        'is put aside with its own part only; its siblings and neighbours go through',
    },
  },
  {
    name: 'events commit with their cause',
    without: 'the application would not hear of messages',
    edits: [
      edit(
        'migrations/0016_traces.sql',
        "where m.origin = 'echo' or (m.origin = 'live' and m.direction = 'inbound')",
        'where false',
      ),
    ],
    noticedBy: {
      'test/e2e/what-happens-is-told.test.ts':
        'a message that came in, once however often it comes',
    },
  },
]
