// Applications that send without pause, each person's messages numbered in the order they were accepted, and never more
// than so many ahead of what is sent.
import { type Db, sql } from '../../src/db/connect.ts'
import { type GatewayProgram, until } from './program.ts'

export interface SendLoad {
  /** The texts that were answered 202, in no order. */
  accepted: Set<string>
  /** Waits for what is under way. */
  stop(): Promise<void>
}

export interface LoadedFirm {
  key: string
  phoneNumberId: string
  customers: string[]
}

export function startSendLoad(
  api: Pick<GatewayProgram, 'call'>,
  db: Db,
  firms: LoadedFirm[],
  mostWaiting: number,
): SendLoad {
  const accepted = new Set<string>()
  let isStopping = false

  let looking: Promise<boolean> | undefined
  /** Asked by all at once, looked once. */
  const isRoom = () => {
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
  const look = async () => {
    const [row] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_send_outbox where status in ('pending', 'running')`)
    return isStopping || (row?.count ?? 0) < mostWaiting
  }
  /** One application: its people in turn, one call after another. */
  async function sendOneAfterAnother({ key, phoneNumberId, customers }: LoadedFirm) {
    for (let round = 1; !isStopping; round++) {
      await until('there is room', isRoom)
      for (const customer of customers) {
        const body = `to ${customer} of ${phoneNumberId}, number ${round}`
        const reply = await api.call('POST', '/api/whatsapp/meta/send', {
          key,
          body: { to: customer, type: 'text', text: { body } },
        })
        if (reply.status !== 202) throw new Error(`a send was answered ${reply.text}`)
        accepted.add(body)
      }
    }
  }
  const running = firms.map(sendOneAfterAnother)
  return {
    accepted,
    async stop() {
      isStopping = true
      await Promise.all(running)
    },
  }
}
