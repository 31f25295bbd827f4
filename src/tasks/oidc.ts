// Google's identity tokens on tasks: signed by Google, for our address, in the name of the account that may call us.
import type { OAuth2Client } from 'google-auth-library'
import type { OidcCheck } from './admit.ts'

export interface OidcOptions {
  serviceAccountEmail: string
  audience: string
  /** For tests: where the keys are, instead of Google's own place. */
  certsUrl?: string
}

export function createOidcCheck(options: OidcOptions): OidcCheck {
  let loading: Promise<OAuth2Client> | undefined
  return {
    async isGood(idToken) {
      if (idToken === '') return false
      loading ??= load(options.certsUrl)
      const client = await loading
      try {
        const ticket = await client.verifyIdToken({ idToken, audience: options.audience })
        const payload = ticket.getPayload()
        return payload?.email === options.serviceAccountEmail && payload.email_verified === true
      } catch {
        return false
      }
    },
  }
}

/** Only who uses it loads it. */
async function load(certsUrl: string | undefined): Promise<OAuth2Client> {
  const { OAuth2Client } = await import('google-auth-library')
  return new OAuth2Client(
    certsUrl === undefined ? {} : { endpoints: { oauth2FederatedSignonPemCertsUrl: certsUrl } },
  )
}
