// A link to the sign-up page, for whoever is to connect a number and has no application that makes one.
import { pageUrl } from '../accounts/signup/routes.ts'
import { startSignup } from '../accounts/signup/state.ts'
import { AppError } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'

export interface LinkOptions extends TableOptions {
  reconnect?: string
}

export async function accountLink(tenant: string, options: LinkOptions): Promise<void> {
  const accountId = options.reconnect === undefined ? null : uuidOf('acc', options.reconnect)
  if (accountId === undefined) {
    throw new AppError('INVALID_REQUEST', 400, '--reconnect: an account’s id, acc_…')
  }
  await withRuntime(async (runtime) => {
    const { config, db } = runtime
    const tenantId = await tenantNamed(runtime, tenant)
    const by = { tenantId, actor, accountId }
    const { state, expiresAt } = await startSignup({ ...runtime, db: db.api }, by)
    const host = config.host === '0.0.0.0' ? '127.0.0.1' : config.host
    const url = pageUrl({ publicUrl: config.publicUrl }, `http://${host}:${config.port}`, state)
    print(
      options,
      { url, state, expires_at: expiresAt.toISOString() },
      `${url}\nOpen it in a browser. It works once, for 10 minutes.`,
    )
  })
}
