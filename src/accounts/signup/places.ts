// Where sign-up happens: Meta's own addresses, or those of a simulated Meta.

export interface SignupPlaces {
  version: string
  /** Meta's JavaScript SDK. */
  sdk: string
  sdkOrigin: string
  dialogOrigin: string
  /** What the SDK itself talks to and frames, for the page's policy. */
  contentOrigins: string
}

export interface PlacesConfig {
  metaGraphUrl: string
  metaGraphVersion: string
  metaSignupUrl?: string | undefined
}

export function signupPlaces(config: PlacesConfig): SignupPlaces {
  const version = config.metaGraphVersion
  const graph = new URL(config.metaGraphUrl)
  const isMeta = /(^|\.)facebook\.com$/.test(graph.hostname)
  if (config.metaSignupUrl === undefined && isMeta) {
    return {
      version,
      sdk: 'https://connect.facebook.net/en_US/sdk.js',
      sdkOrigin: 'https://connect.facebook.net',
      dialogOrigin: 'https://www.facebook.com',
      contentOrigins: 'https://*.facebook.com https://facebook.com',
    }
  }
  const { origin } = new URL(config.metaSignupUrl ?? config.metaGraphUrl)
  return {
    version,
    sdk: `${origin}/en_US/sdk.js`,
    sdkOrigin: origin,
    dialogOrigin: origin,
    contentOrigins: origin,
  }
}

/** The dialog as a page of its own, which sends the browser back. */
export function dialogUrl(
  { dialogOrigin, version }: SignupPlaces,
  given: { appId: string; configId: string; state: string; redirectUri: string },
): string {
  const query = new URLSearchParams({
    client_id: given.appId,
    redirect_uri: given.redirectUri,
    state: given.state,
    response_type: 'code',
    override_default_response_type: 'true',
    ...(given.configId !== '' && { config_id: given.configId }),
  })
  return `${dialogOrigin}/${version}/dialog/oauth?${query}`
}

export type MissingSetting = 'META_APP_ID' | 'META_APP_SECRET' | 'META_CONFIG_ID'

/** Meta's own pages need a login configuration; a simulated one does not ask for it. */
export function missingSettings(
  { dialogOrigin }: SignupPlaces,
  given: {
    appId?: string | undefined
    appSecret?: string | undefined
    configId?: string | undefined
  },
): MissingSetting[] {
  const needsConfig = dialogOrigin === 'https://www.facebook.com'
  return [
    ...(given.appId === undefined ? ['META_APP_ID' as const] : []),
    ...(given.appSecret === undefined ? ['META_APP_SECRET' as const] : []),
    ...(given.configId === undefined && needsConfig ? ['META_CONFIG_ID' as const] : []),
  ]
}
