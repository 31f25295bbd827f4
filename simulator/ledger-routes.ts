// The ledger over HTTP: its lists, page by page, and the questions it answers.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { holds } from './ledger-pages.ts'
import { absenceKinds, rateSubjects } from './ledger-questions.ts'
import { parseInput } from './request-error.ts'
import type { TrafficControls } from './traffic-controls.ts'

const lists = ['requests', 'sends', 'reads', 'deliveries', 'faults'] as const

const ofNumber = { phone_number_id: z.string().optional() }
const wholeQuery = z.object(ofNumber)

const listQuery = z.object({
  ...ofNumber,
  /** Filters, each for the lists that have such a key. */
  recipient: z.string().optional(),
  wamid: z.string().optional(),
  endpoint: z.string().optional(),
  fault: z.string().optional(),
  state: z.string().optional(),
  status: z.string().optional(),
  /** How many to leave out at the start, oldest first. */
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

const absenceBody = z.strictObject({
  /** What the system under test knows. */
  wamids: z.array(z.string()),
  kinds: z.array(z.enum(absenceKinds)).optional(),
})

const orderQuery = z.object({
  ...ofNumber,
  recipient: z.string().optional(),
  /** Where in a request its place in the order stands, e.g. `text.body`. */
  key: z.string().optional(),
})

const rateQuery = z.object({ ...ofNumber, of: z.enum(rateSubjects).optional() })

export function mountLedgerRoutes(app: FastifyInstance, controls: TrafficControls): void {
  app.get('/ledger', async (request) =>
    controls.ledger(parseInput(wholeQuery, request.query).phone_number_id),
  )
  for (const list of lists) {
    app.get(`/ledger/${list}`, async (request) =>
      controls.ledgerPage(list, parseInput(listQuery, request.query)),
    )
  }

  app.get('/ledger/accepted-twice', async (request) =>
    controls.acceptedTwice(parseInput(wholeQuery, request.query).phone_number_id),
  )
  app.post('/ledger/absent', async (request) => {
    const { wamids, kinds } = parseInput(absenceBody, request.body)
    return controls.absent(wamids, kinds)
  })
  app.get('/ledger/order', async (request) => {
    const { key, ...wanted } = parseInput(orderQuery, request.query)
    const data = controls.orderPerRecipient(key).filter(holds(wanted))
    return { data, respected: data.every(({ respected }) => respected) }
  })
  app.get('/ledger/rate', async (request) => {
    const { of, ...wanted } = parseInput(rateQuery, request.query)
    return { data: controls.ratePerSecond(of).filter(holds(wanted)) }
  })
  app.get('/ledger/in-flight', async (request) => {
    const data = Object.entries(controls.mostInFlight()).map(([phone_number_id, max]) => ({
      phone_number_id,
      max,
    }))
    return { data: data.filter(holds(parseInput(wholeQuery, request.query))) }
  })
}
