// The same commands, carried out by the product on Postgres at made times: its claims, looks, POSTs, settlements, statuses,
// dead letters and opt-outs. Only Meta, the processes and the clock are made up.
import { randomUUID } from 'node:crypto'
import { endReauth } from '../../src/accounts/reauth.ts'
import { applyStatuses } from '../../src/conversations/apply-status.ts'
import type { NewStatus } from '../../src/conversations/model.ts'
import { queueMessages } from '../../src/conversations/queue-message.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { requeueLetters } from '../../src/dead-letters/requeue.ts'
import { AppError } from '../../src/errors.ts'
import { publicId } from '../../src/ids.ts'
import { beatInbox } from '../../src/inbox/queries.ts'
import { packCallback } from '../../src/meta/callback-data.ts'
import { cancelMessage } from '../../src/outbox/cancel.ts'
import { endSuppressed } from '../../src/outbox/end-suppressed.ts'
import { keepAcceptances, settleProven } from '../../src/outbox/evidence.ts'
import { followUp } from '../../src/outbox/follow-up.ts'
import { heedFailures } from '../../src/outbox/heed-status.ts'
import type { ClaimedSend } from '../../src/outbox/model.ts'
import {
  claimSends,
  enqueueSends,
  giveBackSends,
  reapWorkers,
  releaseNumber,
} from '../../src/outbox/queue-queries.ts'
import { type Sender, type SendResult, sendOne } from '../../src/outbox/send.ts'
import { type SendContext, selectContexts } from '../../src/outbox/send-queries.ts'
import { settleResults } from '../../src/outbox/settle.ts'
import { mostLateMs, shortMs } from '../../src/outbox/slot.ts'
import { isFree, takeSlot } from '../../src/outbox/weather-queries.ts'
import { registerWorker, renewWorker } from '../../src/queue/workers.ts'
import { type Clock, systemRandom } from '../../src/time-and-chance.ts'
import type { Command } from './commands.ts'
import { acceptedAnswer, revokedKind } from './meta.ts'
import { type Names, type Observed, observePostgres } from './observed.ts'
import { clearQueue, type Tools } from './postgres-setup.ts'
import type { Settings, State, StatusEvent } from './state.ts'
import { setTime } from './virtual-time.ts'
import { kindOf } from './worker-steps.ts'

interface PostgresJob {
  send: ClaimedSend
  slot: number | null
  hasWaited: boolean
  context?: SendContext | undefined
  result?: SendResult
}

class NotYet extends Error {}

const template = { type: 'template', template: { name: 'again', language: { code: 'en' } } }
const correlationId = '00000000-0000-4000-8000-000000000001'

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

export class PostgresWorld {
  readonly names: Names = { tenants: [], numbers: [], messages: [], attempts: new Map() }
  readonly #db: Db
  readonly #settings: Settings
  readonly #contacts: string[][] = []
  readonly #jobs = new Map<number, PostgresJob>()
  /** By the model's lease id. */
  readonly #leases: string[] = []
  #inbox: { id: string; event: StatusEvent }[] = []
  #claimed: ClaimedSend[] = []
  /** Whether the answer to that claim got lost. */
  #isUnheard = false
  /** Of rows, by id. */
  #places = new Map<string, number>()
  #held: StatusEvent[] = []
  readonly #known = new Set<string>()
  #nowMs: number
  readonly #clock: Clock
  readonly #options

  constructor(db: Db, settings: Settings, nowMs: number, tools: Tools) {
    this.#db = db
    this.#settings = settings
    this.#nowMs = nowMs
    this.#clock = {
      ...tools.clock,
      now: () => new Date(this.#nowMs),
      monotonicMs: () => this.#nowMs,
    }
    const { circuit, reconcileSeconds } = settings
    const random = systemRandom(this.#clock)
    const { log, metrics } = tools
    const defaultPolicy = 'standard' as const
    this.#options = {
      db,
      clock: this.#clock,
      random,
      log,
      metrics,
      circuit,
      reconcileSeconds,
      defaultPolicy,
    }
  }

  observe(): Promise<Observed> {
    return observePostgres(this.#db, this.names)
  }

  /** `before` is the model's state before this command. Returns the places of rows that were claimed. */
  async apply(command: Command, before: State): Promise<Set<number> | undefined> {
    if (command.kind === 'claim') return this.#claim(command, before)
    await this.#carryOut(command, before)
    return undefined
  }

  async #carryOut(command: Command, before: State): Promise<void> {
    switch (command.kind) {
      case 'enqueue':
        return this.#enqueue(command)
      case 'look':
      case 'post':
      case 'settle':
        return this.#work(command, before)
      case 'die':
        for (const job of before.jobs)
          if (job.worker === command.worker) this.#jobs.delete(job.attempt)
        return
      case 'advance':
        return this.#advance(command.ms, before)
      case 'tell':
      case 'process':
      case 'receiving':
        return this.#hear(command, before)
      case 'reap':
        return this.#reap()
      case 'give back':
        return this.#giveBack(command.worker, before)
      case 'opt out':
        return this.#optOut(command)
      case 'cancel':
        return this.#cancel(command.message)
      case 'requeue':
        return this.#requeue(before.letters[command.letter - 1]?.row ?? 0)
      case 'reconnect':
        return this.#reconnect(command.number)
      // Not for Postgres to know.
      case 'claim':
      case 'pause':
      case 'resume':
      case 'revoke':
    }
  }

  async #reap(): Promise<void> {
    const { reconcileSeconds, defaultPolicy } = this.#options
    await settleProven(this.#options, await reapWorkers(this.#db, reconcileSeconds, defaultPolicy))
  }

  async #giveBack(worker: number, before: State): Promise<void> {
    const slot = before.workers[worker]
    if (!slot || slot.lease === null || slot.isPaused) return
    const known = new Set(
      before.jobs.filter((job) => job.worker === worker).map((one) => one.attempt),
    )
    const holdings = {
      workerId: this.#leases[slot.lease - 1] as string,
      attemptIds: [...this.names.attempts].flatMap(([id, attempt]) =>
        known.has(attempt) ? id : [],
      ),
      olderThanSeconds: this.#settings.leaseSeconds,
    }
    await giveBackSends(this.#db, () => holdings)
  }

  async #reconnect(number: number): Promise<void> {
    const [tenantId, phoneNumberId] = this.#ownerOf(number)
    await this.#db.transaction(async (tx) => {
      await endReauth(tx, tenantId, phoneNumberId, this.#clock.now())
      await releaseNumber(tx, tenantId, phoneNumberId)
    })
  }

  async start(): Promise<void> {
    await setTime(this.#db, this.#nowMs)
    const { tenants, numbers, contacts } = await clearQueue(this.#db, this.#settings)
    this.names.tenants.push(...tenants)
    this.names.numbers.push(...numbers)
    this.#contacts.push(...contacts)
  }

  /** After both sides have claimed: which attempt of the model's is which. */
  nameAttempts(state: State): void {
    for (const send of this.#claimed.splice(0)) {
      const row = state.rows[(this.#places.get(send.id) ?? 0) - 1]
      if (!row || row.attempt === null) throw new Error('Postgres claimed what the model did not')
      this.names.attempts.set(send.attemptId, row.attempt)
      if (!this.#isUnheard)
        this.#jobs.set(row.attempt, { send, slot: send.slotMs, hasWaited: false })
    }
  }

  #ownerOf(number: number): [tenantId: string, phoneNumberId: string] {
    const tenant = this.#settings.numbers[number]?.tenant ?? 0
    return [this.names.tenants[tenant] as string, this.names.numbers[number] as string]
  }

  async #enqueue(command: Of<'enqueue'>): Promise<void> {
    const [tenantId, phoneNumberId] = this.#ownerOf(command.number)
    const waId = this.#contacts[command.number]?.[command.contact] as string
    const contact = { id: waId, waId, userId: null, name: null }
    const id = randomUUID()
    this.names.messages.push(id)
    const now = this.#clock.now()
    await this.#db.transaction(async (tx) => {
      const message = {
        id,
        tenantId,
        phoneNumberId,
        contact,
        correlationId,
        type: 'text',
        content: {},
      }
      await queueMessages(
        tx,
        [{ ...message, replyTo: null, clientReference: null }],
        randomUUID,
        now,
      )
      await tx.query(sql`
        update whatsapp_conversations set last_inbound_at = '2200-01-01' where tenant_id = ${tenantId}`)
      await enqueueSends(tx, [
        {
          tenantId,
          phoneNumberId,
          messageId: id,
          conversationId: '',
          lane: waId,
          sendAt: command.delayMs === 0 ? null : new Date(now.getTime() + command.delayMs),
          payload: { type: 'text', to: waId },
          fallbackTemplate: command.hasFallback ? { ...template, to: waId } : null,
          callbackData: null,
          delivery: command.isOnce ? 'at_most_once' : 'at_least_once',
          expiresAt: null,
          correlationId,
          parentId: null,
        },
      ])
    })
  }

  async #claim(command: Of<'claim'>, before: State): Promise<Set<number>> {
    const { worker, limit, isUnheard = false } = command
    this.#isUnheard = isUnheard
    const lease = before.workers[worker]?.lease ?? null
    const isHeld = lease !== null && (before.leases[lease - 1]?.heldUntil ?? 0) > this.#nowMs
    if (!isHeld) this.#leases.push(await registerWorker(this.#db, this.#settings.leaseSeconds))
    const id = isHeld ? this.#leases[lease - 1] : this.#leases.at(-1)
    this.#claimed = await claimSends(this.#db, id as string, limit, 100)
    const rows = await this.#db.query(sql<{ id: string }>`
      select id from whatsapp_send_outbox where tenant_id = any(${this.names.tenants}::uuid[]) order by id`)
    this.#places = new Map(rows.map((row, index) => [row.id, index + 1]))
    return new Set(this.#claimed.map((send) => this.#places.get(send.id) ?? 0))
  }

  async #work(command: Of<'look' | 'post' | 'settle'>, before: State): Promise<void> {
    const job = this.#jobs.get(command.attempt)
    if (!job) return
    if (command.kind === 'look') {
      job.context = (await selectContexts(this.#db, [job.send], this.#clock.now()))[0]
    } else if (command.kind === 'post') {
      await this.#post(job, command, before)
    } else if (job.result) {
      const random = { ...this.#options.random, fraction: () => command.fraction }
      const options = { ...this.#options, random }
      const [settled] = await settleResults(options, [job.result])
      if (settled) await followUp(options, settled)
      this.#jobs.delete(command.attempt)
    }
  }

  async #post(job: PostgresJob, { attempt, answer }: Of<'post'>, before: State): Promise<void> {
    const kind = kindOf(answer)
    const number = this.names.numbers.indexOf(job.send.phoneNumberId)
    const isRevoked = before.meta.revoked.has(number) && kind.answer === null
    const said = isRevoked ? revokedKind.answer : kind.answer
    const sender = {
      ...this.#options,
      graph: { send: async () => said ?? acceptedAnswer(`wamid.${attempt}`) },
      dedupe: {
        postOnce: async (_: unknown, work: () => Promise<{ value: unknown }>) => ({
          state: 'posted',
          ...(await work()),
        }),
      },
      vault: { open: () => 'token', seal: () => '' },
      prepare: async (_: unknown, content: unknown) => ({
        content,
        onRefused: async () => undefined,
      }),
    } as unknown as Sender
    const lease = before.jobs.find((one) => one.attempt === attempt)?.lease ?? 0
    const isHeld = () => (before.leases[lease - 1]?.heldUntil ?? 0) > this.#nowMs
    try {
      const context = job.context as SendContext
      const result = await sendOne(sender, job.send, context, () => this.#turn(job), isHeld)
      if (result) job.result = result
      else this.#jobs.delete(attempt)
    } catch (error) {
      if (!(error instanceof NotYet)) throw error
    }
  }

  /** As turnOf of worker-steps.ts, with the database's own slots. */
  async #turn(job: PostgresJob): Promise<boolean> {
    const { tenantId, phoneNumberId } = job.send
    if (job.slot === null) return true
    if (this.#nowMs < job.slot) {
      if (job.slot - this.#nowMs > shortMs) job.hasWaited = true
      throw new NotYet()
    }
    if (job.hasWaited && !(await isFree(this.#db, tenantId, phoneNumberId))) return false
    if (this.#nowMs - job.slot <= mostLateMs) return true
    const next = await takeSlot(this.#db, tenantId, phoneNumberId, shortMs)
    if (!next) return false
    job.slot = next.slotMs
    throw new NotYet()
  }

  async #hear(command: Of<'tell' | 'process' | 'receiving'>, before: State): Promise<void> {
    if (command.kind === 'tell') {
      const event = { ...command.event, receivedAt: this.#nowMs }
      if (before.isReceiving) await this.#receive(event)
      else this.#held.push(event)
    } else if (command.kind === 'receiving') {
      if (!command.isOn || before.isReceiving) return
      await this.#beat(5)
      for (const event of this.#held.splice(0)) await this.#receive(event)
    } else {
      const [item] = this.#inbox.splice(command.index, 1)
      if (item) await this.#process(item, command.isCutShort)
    }
  }

  #beat(longestBreakSeconds: number): Promise<void> {
    return beatInbox(this.#db, new Date(this.#nowMs - 5_000), longestBreakSeconds)
  }

  async #receive(event: StatusEvent): Promise<void> {
    const id = randomUUID()
    this.#inbox.push({ id, event })
    await this.#db.query(sql`
      insert into whatsapp_webhook_events (id, received_at, next_run_at, raw, inbound_event_id, correlation_id)
      values (${id}, now(), now(), '', ${id}, ${correlationId})`)
  }

  async #process(
    { id, event }: { id: string; event: StatusEvent },
    isCutShort: boolean,
  ): Promise<void> {
    await this.#db.query(sql`
      update whatsapp_webhook_events set status = 'done', processed_at = now() where id = ${id}`)
    const key = `${event.wamid} ${event.status}`
    if (this.#known.has(key)) return
    this.#known.add(key)
    const [tenantId, phoneNumberId] = this.#ownerOf(event.number)
    const attemptId = [...this.names.attempts].find(([, attempt]) => attempt === event.attempt)?.[0]
    const now = this.#clock.now()
    const status: NewStatus = {
      tenantId,
      phoneNumberId,
      wamid: event.wamid,
      status: event.status,
      participant: '',
      occurredAt: now,
      receivedAt: now,
      details: {
        ...(event.isNamed && { biz_opaque_callback_data: packCallback(attemptId as string, null) }),
        ...(event.code !== null && { errors: [{ code: event.code }] }),
      },
      eventId: id,
      correlationId,
    }
    const { proven } = await this.#db.transaction(async (tx) => {
      const proofs = await keepAcceptances(tx, [status], now)
      await applyStatuses(tx, [status])
      await heedFailures(tx, [...proofs.early, status], this.#options.random, now)
      return proofs
    })
    if (!isCutShort) await settleProven(this.#options, proven)
  }

  async #optOut({ number, contact }: Of<'opt out'>): Promise<void> {
    const [tenantId, phoneNumberId] = this.#ownerOf(number)
    const contactId = this.#contacts[number]?.[contact] as string
    const now = this.#clock.now()
    await this.#db.transaction(async (tx) => {
      await tx.query(sql`
        insert into whatsapp_suppressions (id, tenant_id, phone_number_id, contact_id, scope, is_active, changed_at,
          change_id, since, reason, created_at, updated_at)
        values (${randomUUID()}, ${tenantId}, ${phoneNumberId}, ${contactId}, 'everything', true, now(), ${randomUUID()},
          now(), 'stop_word', now(), now())
        on conflict do nothing`)
      const scope = 'everything' as const
      await endSuppressed(
        tx,
        [{ tenantId, phoneNumberId, contactId, scope }],
        this.#options.random,
        now,
      )
    })
  }

  async #cancel(message: number): Promise<void> {
    const id = this.names.messages[message - 1] as string
    const [row] = await this.#db.query(sql<{ tenant: string }>`
      select tenant_id as tenant from whatsapp_messages where id = ${id}`)
    try {
      await cancelMessage(this.#db, this.#clock, row?.tenant ?? '', publicId('msg', id))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }

  async #requeue(row: number): Promise<void> {
    const [letter] = await this.#db.query(sql<{ id: string }>`
      select d.id
      from (
        select tenant_id, id, row_number() over (order by id) as place
        from whatsapp_send_outbox
        where tenant_id = any(${this.names.tenants}::uuid[])
      ) as o
      join dead_letters d on d.tenant_id = o.tenant_id and d.outbox_id = o.id
      where o.place = ${row}`)
    const decision = { scope: null, actor: 'somebody', reason: 'again', at: this.#clock.now() }
    if (letter) await this.#db.transaction((tx) => requeueLetters(tx, [letter.id], decision))
  }

  async #advance(ms: number, before: State): Promise<void> {
    if (before.isReceiving) await this.#beat(20)
    const alive: string[] = []
    for (const { lease, isPaused } of before.workers) {
      if (lease === null || isPaused) continue
      const id = this.#leases[lease - 1] as string
      if (await renewWorker(this.#db, id, this.#settings.leaseSeconds)) alive.push(id)
    }
    this.#nowMs += ms
    await setTime(this.#db, this.#nowMs)
    if (before.isReceiving) await this.#beat(ms / 1000 + 20)
    // Its heart beat all the while.
    await this.#db.query(sql`
      update send_workers set alive_until = now() + make_interval(secs => ${this.#settings.leaseSeconds})
      where id = any(${alive}::bigint[])`)
  }
}
