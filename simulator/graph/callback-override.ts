// A callback URL of an account or a number, that stands in for the app's own.
import type { Override } from '../business-accounts.ts'
import { callbackRefused, invalidRequest } from './errors.ts'
import { type Fields, textIn } from './fields.ts'
import type { Graph } from './graph.ts'

const maxCallbackLength = 200

/** Null when the request names none. The URL has to pass the handshake before it counts. */
export async function readOverride(graph: Graph, params: Fields): Promise<Override | null> {
  const override_callback_uri = textIn(params, 'override_callback_uri')
  if (override_callback_uri === undefined) return null
  const verify_token = textIn(params, 'verify_token')
  if (verify_token === undefined) throw invalidRequest('The parameter verify_token is required.')
  if (override_callback_uri.length > maxCallbackLength) {
    throw invalidRequest(`override_callback_uri can have ${maxCallbackLength} characters.`)
  }
  // Meta wants https; a laptop has none.
  if (!/^https?:\/\//.test(override_callback_uri) || !URL.canParse(override_callback_uri)) {
    throw invalidRequest('override_callback_uri must be a URL.')
  }
  const { verified, reason } = await graph.simulation.verifyCallback(
    override_callback_uri,
    verify_token,
  )
  if (!verified) throw callbackRefused(reason ?? 'no answer')
  return { override_callback_uri, verify_token }
}
