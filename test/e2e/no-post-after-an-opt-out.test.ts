// I10, in every order of events: an opt-out against a message that is being accepted, and against one that is being sent.
// Each statement of each side waits for the schedule's word. What was looked up before the opt-out was committed may go out;
// nothing else does, and nothing is left waiting.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { keepWords } from '../../src/consent/keep-words.ts'
import type { Scope } from '../../src/consent/model.ts'
import { sql } from '../../src/db/connect.ts'
import { endSuppressed } from '../../src/outbox/end-suppressed.ts'
import { createEnqueuer } from '../../src/outbox/enqueue.ts'
import { sendRequest } from '../../src/outbox/message.ts'
import { claimSends } from '../../src/outbox/queue-queries.ts'
import { sendOne } from '../../src/outbox/send.ts'
import { selectContexts } from '../../src/outbox/send-queries.ts'
import { settleResults } from '../../src/outbox/settle.ts'
import { registerWorker } from '../../src/queue/workers.ts'
import { sendWorkerOptions } from '../../src/workers.ts'
import { type Actor, createActor, finishAll } from '../support/actors.ts'
import { type Firm, type Sending, sendRowOf, startSending, template } from '../support/sending.ts'

let world: Sending
let firm: Firm
let workerId: string

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
  workerId = await registerWorker(world.gateway.db, 3600)
})

const content = {
  everything: { type: 'text', text: { body: 'Good morning' } },
  marketing: { type: 'template', template },
}

async function contactOf(customer: string): Promise<string> {
  const [row] = await world.gateway.db.query(sql<{ id: string }>`
    select id from whatsapp_contacts where tenant_id = ${firm.id} and wa_id = ${customer}`)
  if (!row) throw new Error('nobody wrote')
  return row.id
}

/** What inbox/apply.ts does about it, at the end of its transaction. Five statements and the commit. */
async function stop(customer: string, scope: Scope): Promise<Actor> {
  const { runtime } = world.gateway
  const contactId = await contactOf(customer)
  const now = new Date(runtime.clock.now().getTime() + 60_000)
  const word = {
    tenantId: firm.id,
    phoneNumberId: firm.phoneNumberId,
    contactId,
    scope,
    isActive: true,
    reason: 'operator' as const,
    at: now,
    id: randomUUID(),
    eventId: null,
  }
  return createActor(runtime.db.work, (db) =>
    db.transaction(async (tx) => {
      const suppressed = await keepWords(tx, [word], randomUUID, now)
      await endSuppressed(tx, suppressed, runtime.random, now)
    }),
  )
}

/** As far as it gets without the other, which may hold a lock that it needs. */
async function run(actor: Actor, steps: number): Promise<void> {
  for (let step = 0; step < steps && !actor.isDone(); step++) await actor.step()
}

const scopes = ['everything', 'marketing'] as const

describe.each(scopes)('%s stopped while a message is accepted', (scope) => {
  async function accept(customer: string, told: { messageId?: string; code?: string }) {
    const { clock, random } = world.gateway.runtime
    const request = sendRequest.parse({ to: customer, ...content[scope] })
    return createActor(world.gateway.runtime.db.api, async (db) => {
      const enqueuer = createEnqueuer({
        db,
        clock,
        random,
        maxQueued: 1_000_000,
        checkMedia: async () => undefined,
        onQueued: () => undefined,
      })
      const order = { tenantId: firm.id, request, idempotencyKey: undefined }
      await enqueuer.send(order).then(
        ({ messageId }) => {
          told.messageId = messageId
        },
        ({ code }) => {
          told.code = code
        },
      )
    })
  }

  // The look, the room, then contact, conversation and message, then the queue.
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'after %i statements: it is refused, or ends',
    async (steps) => {
      for (const foreign of [1, 2, 3, 4, 6]) {
        const customer = await world.customerOf(firm)
        const told: { messageId?: string; code?: string } = {}
        const accepting = await accept(customer, told)
        const stopping = await stop(customer, scope)
        await run(accepting, steps)
        await run(stopping, foreign)
        await finishAll([accepting, stopping])

        const where = `after ${steps} and ${foreign} statements`
        if (told.messageId === undefined) {
          expect(told.code, where).toBe('RECIPIENT_SUPPRESSED')
          continue
        }
        const id = `msg_${told.messageId.replaceAll('-', '')}`
        expect(await world.read(firm, id), where).toMatchObject({
          status: 'failed',
          attempts: 0,
          error: { code: 'RECIPIENT_SUPPRESSED' },
        })
        expect((await sendRowOf(world.gateway.db, id)).status, where).toBe('failed')
        await world.gateway.sendDue()
        expect(world.postsTo(customer), where).toEqual([])
      }
    },
  )
})

describe.each(scopes)('%s stopped while a message is sent', (scope) => {
  /** What outbox/worker.ts does, one thing after the other; `told` hears when it has looked for the last time. */
  function send(told: { looked: boolean }): Promise<Actor> {
    const options = sendWorkerOptions(world.gateway.runtime)
    return createActor(options.db, async (db) => {
      for (const claimed of await claimSends(db, workerId, 1, 100)) {
        const [context] = await selectContexts(db, [claimed], options.clock.now())
        told.looked = true
        if (!context) throw new Error('bug: nothing to go by')
        const result = await sendOne(
          options,
          claimed,
          context,
          async () => true,
          () => true,
        )
        if (result) await settleResults({ ...options, db }, [result])
      }
    })
  }

  // The claim, the last look, the POST, and what came of it.
  test.each([0, 1, 2, 3, 4, 5, 6, 8])('after %i statements', async (steps) => {
    for (const foreign of [1, 2, 4, 6]) {
      const customer = await world.customerOf(firm)
      // What is not accepted at once would be tried again.
      world.fault({ fault: 'error', code: 131016, match: { recipient: customer } })
      const id = await world.send(firm, customer, { text: undefined, ...content[scope] })
      const told = { looked: false }
      const sending = await send(told)
      const stopping = await stop(customer, scope)
      await run(sending, steps)
      await run(stopping, foreign)
      const lookedBefore = stopping.isDone() ? told.looked : undefined
      await finishAll([sending, stopping])
      const posts = world.postsTo(customer).length
      await world.sendWhatWaits()

      const where = `after ${steps} and ${foreign} statements`
      if (lookedBefore === false) expect(posts, where).toBe(0)
      expect(posts, where).toBeLessThanOrEqual(1)
      // Whatever became of it, it was the last.
      expect(world.postsTo(customer), where).toHaveLength(posts)
      expect(await world.read(firm, id), where).toMatchObject({
        status: 'failed',
        attempts: posts,
        error: { code: 'RECIPIENT_SUPPRESSED' },
      })
    }
    world.simulator.clearFaults()
  })
})
