// The standard load of one life: a little of everything, so that nearly every crash point is passed.

import { type Db, sql } from '../../src/db/connect.ts'
import { fileForm, jpegBytes } from '../../test/support/media.ts'
import type { QuietSimulator } from '../../test/support/sending.ts'
import { base } from '../../test/support/signup.ts'
import { type Client, eventually } from './client.ts'
import { number, poison } from './stage.ts'

export interface LoadWorld {
  db: Db
  simulator: QuietSimulator
  client: Client
}

const customers = ['16505550101', '16505550102', '16505550103', '16505550104']
/** Meta takes the first message to this one and its answer gets lost; that to the other one fails at Meta. */
const [unheard, , , failing] = customers as [string, string, string, string]
const perCustomer = 3

const connected = { waba_id: '88001', phone_number_id: '88002' }

export function setUpMeta(simulator: QuietSimulator): void {
  for (const each of [number, connected]) {
    simulator.registerNumber({
      ...each,
      display_phone_number: '+1 555-0100',
      access_token: 'a-token',
    })
  }
  simulator.changeNumber(connected.phone_number_id, { registered: false, status: 'PENDING' })
  simulator.setFault({
    fault: 'reset',
    when: 'after_accepting',
    count: 1,
    match: { endpoint: 'messages', recipient: unheard },
  })
  simulator.setFault({ fault: 'fail', count: 1, match: { recipient: failing } })
}

export async function runLoad(world: LoadWorld): Promise<void> {
  await Promise.all([
    writeAndSend(world),
    receiveFile(world),
    uploadFile(world),
    signUp(world),
    makeTemplate(world),
  ])
  await decide(world)
}

async function writeAndSend({ client }: LoadWorld): Promise<void> {
  const rounds = [1, 2, 3]
  await Promise.all([
    ...rounds.map((round) =>
      client.write(customers.map((from) => ({ from, wamid: `wamid.${from}-${round}` }))),
    ),
    ...customers.map((from) => client.write([{ from, wamid: `wamid.${from}-alone` }])),
    client.write([
      { from: '16505550111', wamid: 'wamid.before-poison' },
      { from: '16505550112', wamid: poison },
      { from: '16505550113', wamid: 'wamid.after-poison' },
    ]),
  ])
  await Promise.all(customers.map((customer) => client.send(customer, perCustomer)))
}

async function receiveFile({ simulator, db }: LoadWorld): Promise<void> {
  const { phone_number_id } = number
  const { id } = simulator.addCustomerFile({
    phone_number_id,
    mime_type: 'image/jpeg',
    base64: jpegBytes.toString('base64'),
  })
  simulator.customerWrites('16505550121', { phone_number_id, type: 'image', image: { id } })
  await eventually('the file is expected', async () => {
    const rows = await db.query(sql`select from whatsapp_media where origin = 'inbound'`)
    return rows.length > 0
  })
}

async function uploadFile({ client }: LoadWorld): Promise<void> {
  const form = fileForm(jpegBytes, 'image/jpeg')
  const { status, text } = await client.insist('POST', '/api/whatsapp/meta/media', form)
  if (status !== 200) throw new Error(`an upload was answered ${text}`)
}

/** From the beginning, when it is cut off: a state and a code are good for once. */
async function signUp({ client, simulator }: LoadWorld): Promise<void> {
  await eventually('the number is connected', async () => {
    const { json } = await client.insist('POST', `${base}/start`)
    const code = simulator.issueCode({ waba_ids: [connected.waba_id] })
    const query = new URLSearchParams({ state: json.state, code, ...connected })
    const { status } = await client.insist('GET', `${base}/callback?${query}`)
    return status === 200
  })
}

/** Who is told that it is there already made it before. */
async function makeTemplate({ client, simulator }: LoadWorld): Promise<void> {
  const name = 'appointment_made'
  await client.insist('POST', '/api/whatsapp/meta/templates', {
    phone_number_id: number.phone_number_id,
    name,
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Your appointment is made' }],
  })
  const made = simulator.templates(number.waba_id).filter((one) => one.name === name)
  if (made.length !== 1) throw new Error(`Meta has the template ${made.length} times`)
}

/** The bug is mended: what it kept out comes in. What failed at Meta is given up. */
async function decide({ client, db }: LoadWorld): Promise<void> {
  const letterOf = (kind: string, path: string) =>
    eventually(`there is a letter (${kind})`, async () => {
      const [letter] = await db.query(sql<{ id: string }>`
        select 'dlq_' || replace(id::text, '-', '') as id
        from dead_letters
        where kind = ${kind} and state = 'open' and item_path like ${path} and error_code <> 'RETRIES_EXHAUSTED'`)
      return letter?.id
    })
  const inbound = await letterOf('inbound', '%_')
  const outbound = await letterOf('outbound', '%')
  await db.session((session) =>
    session.script('drop trigger if exists poison on whatsapp_messages'),
  )
  await decideOne(client, inbound, 'requeue', 'requeued')
  await decideOne(client, outbound, 'discard', 'discarded')
}

async function decideOne(
  client: Client,
  letterId: string,
  verb: string,
  state: 'requeued' | 'discarded',
): Promise<void> {
  const body = { reason: 'the cause is mended' }
  const { status, json } = await client.insist(
    'POST',
    `/api/whatsapp/dlq/${letterId}/${verb}`,
    body,
  )
  if (status !== 200 && json?.error?.code !== 'ALREADY_DECIDED') {
    throw new Error(`${verb} was answered ${status}`)
  }
  client.log.decisions.push({ letterId, state })
}
