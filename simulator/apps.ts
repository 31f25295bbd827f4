// Meta apps: who may exchange codes, whose secret proves a call, whose webhooks a business gets.
import { z } from 'zod'

export const metaAppSchema = z.object({
  app_id: z.string().regex(/^\d{1,20}$/, 'must be digits'),
  app_secret: z.string().min(1).max(256),
  name: z.string().min(1).default('Simulated App'),
  /** True: calls without appsecret_proof are refused. A wrong proof is refused in any case. */
  requires_proof: z.boolean().default(false),
})

export type MetaApp = z.output<typeof metaAppSchema>
export type MetaAppInput = z.input<typeof metaAppSchema>

export interface Apps {
  /** The app whose webhooks the simulator delivers. */
  own(): MetaApp
  /** Registering an app again replaces it. */
  register(app: MetaApp): void
  find(appId: string): MetaApp | undefined
  all(): MetaApp[]
}

/** The own app's secret is also what webhooks are signed with, so it is read where that is kept. */
export function createApps(own: Omit<MetaApp, 'app_secret'>, ownSecret: () => string): Apps {
  const byId = new Map<string, MetaApp>()
  let ownSettings = own
  const ownApp = () => ({ ...ownSettings, app_secret: ownSecret() })
  return {
    own: ownApp,
    register(app) {
      if (app.app_id === ownSettings.app_id) ownSettings = app
      else byId.set(app.app_id, app)
    },
    find: (appId) => (appId === ownSettings.app_id ? ownApp() : byId.get(appId)),
    all: () => [ownApp(), ...byId.values()],
  }
}
