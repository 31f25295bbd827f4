// The example bot as a process of its own, between a real gateway and a simulated Meta.
import { expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { startProgram } from '../support/program.ts'
import { startSending } from '../support/sending.ts'

test('the bot answers once, although it is told twice', async () => {
  // Real time: the bot minds how old an event is.
  const { gateway, simulator, createFirm, customerOf, acceptedFor } = await startSending(
    {},
    { clock: systemClock },
  )
  const firm = await createFirm('bakery')
  const bot = startProgram(
    ['--import', 'tsx', 'examples/bot.ts'],
    { ESTAFET_URL: gateway.url, ESTAFET_KEY: firm.key },
    '--conditions=estafet:source',
  )
  await bot.untilPrinted('The bot listens at')

  const customer = await customerOf(firm)
  await gateway.tellDue()
  const base = '/api/whatsapp/event-endpoints'
  const { json } = await gateway.call('GET', base, { key: firm.key })
  const { id } = json.data[0]
  await gateway.call('POST', `${base}/${id}/replay`, {
    key: firm.key,
    body: { from: '2000-01-01T00:00:00Z' },
  })
  await gateway.tellDue()
  const attempts = await gateway.db.query(sql`select 1 from event_attempts where status_code = 204`)
  expect(attempts.length, bot.stderr()).toBe(2)
  await gateway.sendDue()

  const answers = acceptedFor(customer)
  expect(answers).toHaveLength(1)
  expect(JSON.stringify(simulator.ledger().requests)).toContain('You wrote: hello')

  expect(await bot.end('SIGTERM')).toMatchObject({ code: 0 })
  const after = await gateway.call('GET', base, { key: firm.key })
  expect(after.json.data).toEqual([])
})
