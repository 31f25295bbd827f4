// Embedded Signup: the dialog a person sees, its JSON, and a stand-in for the Facebook JS SDK.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Business } from '../business.ts'
import { mountStaticFiles, readStaticFiles } from '../phone/static-files.ts'
import { parseInput } from '../request-error.ts'
import type { Random } from '../time-and-chance.ts'
import { finishSignup } from './finish.ts'

const stateQuery = z.object({ client_id: z.string().optional() })

/** Below /simulator, where errors and bodies are already taken care of. */
export function mountSignupApi(
  app: FastifyInstance,
  business: () => Business,
  random: Random,
): void {
  app.get('/signup/state', async (request) => {
    const { client_id } = parseInput(stateQuery, request.query)
    const { apps, accounts, numbers } = business()
    return {
      app_name: client_id === undefined ? null : (apps.find(client_id)?.name ?? null),
      accounts: accounts.all().map(({ waba_id, business_id, name }) => ({
        waba_id,
        business_id,
        name,
        numbers: numbers
          .all()
          .filter((number) => number.waba_id === waba_id)
          .map(({ phone_number_id, display_phone_number }) => ({
            phone_number_id,
            display_phone_number,
            verified_name: numbers.profile(phone_number_id).verified_name,
          })),
      })),
    }
  })

  app.post('/signup/finish', async (request, reply) =>
    reply.code(201).send(finishSignup(business(), random, request.body)),
  )
}

export function mountSignupPages(app: FastifyInstance): void {
  const files = readStaticFiles('simulator/signup/page')
  mountStaticFiles(app, '/signup', files)
  app.get('/dialog/oauth', async (_request, reply) => files.send(reply, 'index.html'))
  app.get('/:version/dialog/oauth', async (_request, reply) => files.send(reply, 'index.html'))
  for (const path of ['/sdk.js', '/en_US/sdk.js']) {
    // Loaded by pages of another origin, as Meta's own is.
    app.get(path, async (_request, reply) =>
      files.send(reply.header('cross-origin-resource-policy', 'cross-origin'), 'sdk.js'),
    )
  }
}
