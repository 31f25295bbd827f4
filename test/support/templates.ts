// Templates of the simulated Meta and their local copy, for tests about both.
import { createTemplateSync, type TemplateSync } from '../../src/templates/sync.ts'
import { type Firm, type Sending, startSending } from './sending.ts'

export const templatesPath = '/api/whatsapp/meta/templates'

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
type Any = any

export interface TemplateWorld extends Sending {
  syncNow(firm: Firm): Promise<Any>
  syncState(firm: Firm): Promise<Any>
  /** Every account whose turn has come. */
  runDue(): Promise<void>
  list(firm: Firm, query?: string): Promise<Any[]>
  named(firm: Firm, name: string): Promise<Any>
  /** As the simulator has it. */
  atMeta(firm: Firm, name: string): Any
  seed(firm: Firm, name: string, more?: Record<string, unknown>): void
  /** A webhook about `order_update`, at a time of Meta's. */
  tell(firm: Firm, at: Date, field: string, value: Record<string, unknown>): Promise<void>
  tellStatus(firm: Firm, at: Date, event: string, more?: Record<string, unknown>): Promise<void>
  /** What strikes calls for the templates of this firm. */
  faultFor(firm: Firm, fault: Record<string, unknown>): void
}

export const ago = (ms: number) => new Date(Date.now() - ms)
export const ahead = (ms: number) => new Date(Date.now() + ms)

export async function startTemplateWorld(): Promise<TemplateWorld> {
  const world = await startSending({ API_RATE_LIMIT_PER_SECOND: '100000' })
  const { gateway, simulator } = world
  const sync = createTemplateSync({ ...gateway.runtime, db: gateway.runtime.db.work })

  async function list({ key }: Firm, query = '') {
    return (await gateway.call('GET', `${templatesPath}?limit=200${query}`, { key })).json.data
  }

  function atMeta(firm: Firm, name: string) {
    const found = simulator.templates(firm.wabaId).find((one) => one.name === name)
    if (!found) throw new Error(`Meta has no template ${name}`)
    return found
  }

  const tell: TemplateWorld['tell'] = async (firm, at, field, value) => {
    const change = {
      field,
      value: {
        message_template_id: Number(atMeta(firm, 'order_update').id),
        message_template_name: 'order_update',
        message_template_language: 'en_US',
        ...value,
      },
    }
    const time = Math.floor(at.getTime() / 1000)
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [{ id: firm.wabaId, time, changes: [change] }],
    })
    await gateway.drain()
  }

  return {
    ...world,
    syncNow: ({ key }) => gateway.call('POST', `${templatesPath}/sync`, { key }),
    async syncState({ key }) {
      const accounts = await gateway.call('GET', '/api/whatsapp/accounts', { key })
      const path = `/api/whatsapp/accounts/${accounts.json.data[0].id}/template-sync`
      return (await gateway.call('GET', path, { key })).json
    },
    async runDue() {
      while (await sync.runDue());
    },
    list,
    named: async (firm, name) => (await list(firm, `&name=${name}`))[0],
    atMeta,
    seed: (firm, name, more) =>
      void simulator.seedTemplate({
        waba_id: firm.wabaId,
        name,
        components: [{ type: 'BODY', text: 'Good morning' }],
        ...more,
      }),
    tell,
    tellStatus: (firm, at, event, more = {}) =>
      tell(firm, at, 'message_template_status_update', { event, reason: 'NONE', ...more }),
    faultFor: (firm, fault) =>
      world.fault({
        ...(fault as { fault: 'error' }),
        match: { endpoint: 'message_templates', waba_id: firm.wabaId },
      }),
  }
}

export interface HeldSync {
  sync: TemplateSync
  /** Resolves once Meta has answered. */
  reached: Promise<void>
  /** Lets the answer be heard. */
  go(): void
}

/** A sync that has Meta's first answer and does nothing with it, its turn taken, until it may go on. */
export function holdSync({ gateway: { runtime } }: TemplateWorld): HeldSync {
  const reached = signal()
  const allowed = signal()
  const sync = createTemplateSync({
    ...runtime,
    db: runtime.db.work,
    graph: {
      ...runtime.graph,
      ask: async (call) => {
        const answer = await runtime.graph.ask(call)
        reached.give()
        await allowed.given
        return answer
      },
    },
  })
  return { sync, reached: reached.given, go: allowed.give }
}

function signal() {
  let give = () => {}
  const given = new Promise<void>((resolve) => {
    give = resolve
  })
  return { given, give }
}
