// One world for each way to run the gateway: what drives its queues and what stands in front of its dedupe keys. Stories
// told in such a world do not know which it is.
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from './after-file.ts'
import { loseRings, startTasks, type Tasks, taskToken } from './cloud-tasks.ts'
import { firestoreEnvironment, startFirestore } from './firestore.ts'
import { until } from './program.ts'
import { keepInboxSteady, makeDue } from './queue.ts'
import { startRedis } from './redis.ts'
import { type Firm, type Sending, startQuietSimulator, startSending } from './sending.ts'

const dispatches = ['postgres', 'cloud-tasks'] as const
const stores = ['postgres', 'redis', 'firestore'] as const

export interface Engine {
  dispatch: (typeof dispatches)[number]
  store: (typeof stores)[number]
}

export const engines: Engine[] = dispatches.flatMap((dispatch) =>
  stores.map((store) => ({ dispatch, store })),
)

export interface EngineWorld extends Sending {
  /** The store in front of the database forgets everything. */
  forget(): Promise<void>
  /** Whatever is due now is worked on, and whatever follows from that. */
  settle(): Promise<void>
  /** As if everything that waits for a time had waited long enough; again and again, until this is so. */
  letWaitsEnd(what: string, isSo: () => boolean | Promise<boolean>): Promise<void>
  /** Digits of somebody who writes to the firm's number for the first time now. */
  newCustomer(firm: Firm, text?: string): Promise<string>
  newCustomers(firm: Firm, count: number, text?: string): Promise<string[]>
}

export async function startEngineWorld(engine: Engine): Promise<EngineWorld> {
  // It delivers again what was not taken, as Meta does.
  const simulator = await startQuietSimulator()
  simulator.setWebhook({ retry_delays: Array(20).fill(200) })
  const store = await startStore(engine.store)
  const tasks = engine.dispatch === 'postgres' ? undefined : await startTasks()
  const sending = await startSending(
    {
      // Small enough for an outage to be noticed, and more than any other story fails with.
      CIRCUIT_MIN_CALLS: '10',
      // A store on a busy machine is slow, not away.
      DEDUPE_TIMEOUT_MS: '2500',
      ...store.environment,
      ...tasks?.environment,
    },
    { clock: systemClock, simulator },
  )
  const { gateway } = sending
  tasks?.door.lead(gateway.url)
  let people = 0

  /** A task that is hurried while its row is not due yet calls in vain, and the row is left to the sweep. */
  async function hurry({ cloudTasks }: Tasks): Promise<void> {
    await loseRings(gateway.db)
    await gateway.call('POST', '/internal/sweep', {
      headers: { 'x-internal-token': taskToken, 'x-sweep-jobs': 'lost-outbound-tasks' },
    })
    cloudTasks.runNow()
  }
  /** Grows with whatever is done. */
  let worked = 0
  async function work(): Promise<number> {
    if (tasks) return workedBy(tasks)
    worked += (await gateway.drain()) + (await gateway.sendDue())
    return worked
  }
  /** Until a whole round, Meta's reports included, finds nothing to do. */
  async function settle(): Promise<void> {
    for (let before = -1, after = 0; before !== after; ) {
      before = after
      await simulator.settled()
      after = await work()
    }
  }
  async function newCustomers({ phoneNumberId }: Firm, count: number, text = 'hello') {
    const customers = Array.from({ length: count }, () => String(16505600000 + ++people))
    for (const customer of customers) {
      simulator.customerWrites(customer, { phone_number_id: phoneNumberId, type: 'text', text })
    }
    await settle()
    return customers
  }
  return {
    ...sending,
    forget: store.flush,
    settle,
    letWaitsEnd: (what, isSo) =>
      until(what, async () => {
        await settle()
        // A machine that stood still for seconds has not looked at its inbox, and would wait for that too.
        await keepInboxSteady(gateway.db)
        await makeDue(gateway.db)
        if (tasks) await hurry(tasks)
        await settle()
        return isSo()
      }).then(() => undefined),
    newCustomers,
    newCustomer: async (firm, text) => String(await newCustomers(firm, 1, text)),
  }
}

export interface Store {
  environment: Record<string, string>
  flush(): Promise<void>
}

const started = new Map<Engine['store'], Promise<Store>>()

/** One of each for a test file: its keys know which database they are of. */
export function startStore(store: Engine['store']): Promise<Store> {
  const known = started.get(store)
  if (known !== undefined) return known
  const running = start(store)
  started.set(store, running)
  // It ends with the file; the next one, which shares this process, must not find it.
  afterFile(async () => void started.delete(store))
  return running
}

async function start(store: Engine['store']): Promise<Store> {
  if (store === 'redis') {
    const redis = await startRedis()
    return { environment: { DEDUPE_STORE: 'redis', REDIS_URL: redis.url }, flush: redis.flush }
  }
  if (store === 'firestore') {
    const firestore = await startFirestore()
    return { environment: firestoreEnvironment(firestore), flush: firestore.flush }
  }
  return { environment: {}, flush: async () => undefined }
}

async function workedBy({ cloudTasks }: Tasks): Promise<number> {
  await cloudTasks.idle()
  return cloudTasks.dispatches().length
}
