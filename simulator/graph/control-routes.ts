// /simulator routes for the business side: apps, tokens, accounts, numbers, templates, customers.
import type { FastifyInstance } from 'fastify'
import type { MetaAppInput } from '../apps.ts'
import type { AccountChange, AccountInput, BusinessAccount } from '../business-accounts.ts'
import type {
  BusinessControls,
  CustomerFile,
  GraphSettings,
  TemplateChange,
  TemplateSeed,
  WindowSetting,
} from '../business-controls.ts'
import type { NumberChange, NumberProfile } from '../numbers.ts'
import type { RecipientChange } from '../recipients.ts'
import type { CodeInput, Token, TokenChange, TokenInput } from '../tokens.ts'

interface IdRoute {
  Params: { id: string }
}

// The body types are what callers should send; each control checks what they did send.
export function mountBusinessRoutes(app: FastifyInstance, controls: BusinessControls): void {
  app.get('/apps', async () => ({ data: controls.apps() }))
  app.post<{ Body: MetaAppInput }>('/apps', async (request, reply) =>
    reply.code(201).send(controls.registerApp(request.body)),
  )

  app.get('/tokens', async () => ({ data: controls.tokens().map(showToken) }))
  app.post<{ Body: TokenInput }>('/tokens', async (request, reply) =>
    reply.code(201).send(showToken(controls.issueToken(request.body))),
  )
  // The token stands in the body, because it may hold anything.
  app.patch<{ Body: TokenChange }>('/tokens', async (request) =>
    showToken(controls.changeToken(request.body)),
  )
  app.post<{ Body: CodeInput }>('/codes', async (request, reply) =>
    reply.code(201).send({ code: controls.issueCode(request.body) }),
  )

  app.get('/wabas', async () => ({ data: controls.accounts().map(showAccount) }))
  app.post<{ Body: AccountInput }>('/wabas', async (request, reply) =>
    reply.code(201).send(showAccount(controls.registerAccount(request.body))),
  )
  app.patch<IdRoute & { Body: AccountChange }>('/wabas/:id', async (request) =>
    showAccount(controls.changeAccount(request.params.id, request.body)),
  )

  app.get<IdRoute>('/numbers/:id', async (request) =>
    showProfile(request.params.id, controls.numberProfile(request.params.id)),
  )
  app.patch<IdRoute & { Body: NumberChange }>('/numbers/:id', async (request) =>
    showProfile(request.params.id, controls.changeNumber(request.params.id, request.body)),
  )

  mountTemplateRoutes(app, controls)
  mountPeopleRoutes(app, controls)

  app.get('/settings', async () => controls.graphSettings())
  app.put<{ Body: GraphSettings }>('/settings', async (request) =>
    controls.setGraphSettings(request.body),
  )
}

function mountTemplateRoutes(app: FastifyInstance, controls: BusinessControls): void {
  app.get<{ Querystring: { waba_id?: string } }>('/templates', async (request) => ({
    data: controls.templates(request.query.waba_id),
  }))
  app.post<{ Body: TemplateSeed }>('/templates', async (request, reply) =>
    reply.code(201).send(controls.seedTemplate(request.body)),
  )
  app.patch<IdRoute & { Body: TemplateChange }>('/templates/:id', async (request) =>
    controls.changeTemplate(request.params.id, request.body),
  )
}

function mountPeopleRoutes(app: FastifyInstance, controls: BusinessControls): void {
  app.get<{ Params: { wa_id: string } }>('/customers/:wa_id', async (request) =>
    controls.recipient(request.params.wa_id),
  )
  app.patch<{ Params: { wa_id: string }; Body: RecipientChange }>(
    '/customers/:wa_id',
    async (request) => controls.changeRecipient(request.params.wa_id, request.body),
  )
  app.put<{ Body: WindowSetting }>('/windows', async (request) =>
    controls.setServiceWindow(request.body),
  )
  app.post<{ Body: CustomerFile }>('/media', async (request, reply) =>
    reply.code(201).send(controls.addCustomerFile(request.body)),
  )
}

function showToken({ of_number: _origin, grants, ...token }: Token) {
  return { ...token, granular_scopes: grants }
}

function showAccount({ subscriptions, ...account }: BusinessAccount) {
  return { ...account, subscribed_apps: [...subscriptions.keys()] }
}

function showProfile(id: string, profile: NumberProfile) {
  const { registrationsAt: _r, wrongPinsAt: _w, syncedTypes: _s, ...shown } = profile
  return { phone_number_id: id, ...shown }
}
