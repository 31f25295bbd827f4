// The example bot as a process of its own, between a real gateway and a simulated Meta.
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type Program, startProgram } from '../support/program.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let sending: Sending
let firm: Firm
let bot: Program

beforeAll(async () => {
  // Real time: the bot minds how old an event is.
  sending = await startSending({}, { clock: systemClock })
  firm = await sending.createFirm('bakery')
  bot = await startProgram(
    ['--import', 'tsx', 'examples/bot.ts'],
    { ESTAFET_URL: sending.gateway.url, ESTAFET_KEY: firm.key },
    '--conditions=estafet:source',
  )
  await bot.untilPrinted('The bot listens at')
})

const endpointsPath = '/api/whatsapp/event-endpoints'
const endpoints = async () =>
  (await sending.gateway.call('GET', endpointsPath, { key: firm.key })).json.data

/** How the bot answered what it was told since the last time somebody asked. */
let seen = 0
async function answers(): Promise<number[]> {
  await sending.gateway.tellDue()
  const rows = await sending.gateway.db.query(sql<{ status: number }>`
    select status_code as status from event_attempts order by started_at`)
  const news = rows.slice(seen)
  seen = rows.length
  return news.map(({ status }) => status)
}

/** Somebody writes, by a phone number or a user id. */
async function write(wamid: string, body: string, by: { from?: string; from_user_id?: string }) {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const { from: _from, ...message } = textMessage(wamid, body, { timestamp })
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  await sending.gateway.deliver(payload({ number, messages: [{ ...message, ...by }] }))
  await sending.gateway.drain()
}

test('the bot answers once, although it is told twice', async () => {
  const { gateway, simulator, customerOf, acceptedFor } = sending
  const customer = await customerOf(firm)
  expect(await answers(), bot.stderr()).toEqual([204])
  const [{ id }] = await endpoints()
  await gateway.call('POST', `${endpointsPath}/${id}/replay`, {
    key: firm.key,
    body: { from: '2000-01-01T00:00:00Z' },
  })
  expect(await answers(), bot.stderr()).toEqual([204])
  await gateway.sendDue()

  expect(acceptedFor(customer)).toHaveLength(1)
  expect(JSON.stringify(simulator.ledger().requests)).toContain('You wrote: hello')
})

test('the bot answers somebody who has no phone number', async () => {
  const from_user_id = 'ES.555000112'
  await write('wamid.bot-hidden', 'hola', { from_user_id })
  expect(await answers(), bot.stderr()).toEqual([204])
  await sending.gateway.sendDue()
  const { sends } = sending.simulator.ledger()
  expect(sends.filter(({ recipient }) => recipient.user_id === from_user_id)).toHaveLength(1)
})

test('the bot leaves whoever said STOP alone, and is not told again', async () => {
  const customer = await sending.customerOf(firm)
  expect(await answers(), bot.stderr()).toEqual([204])
  await sending.gateway.sendDue()
  await write('wamid.bot-stop', 'STOP', { from: customer })
  expect(await answers()).toEqual([204])
  expect(bot.stderr()).toContain('RECIPIENT_SUPPRESSED')
  await sending.gateway.sendDue()
  expect(sending.acceptedFor(customer)).toHaveLength(1)
})

test('the bot takes its endpoint with it', async () => {
  expect(await bot.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(await endpoints()).toEqual([])
})
