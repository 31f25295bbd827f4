// Meta's refusals, in Meta's words: the code decides, the texts follow real answers.

interface ErrorParts {
  status: number
  code: number
  message: string
  subcode?: number
  details?: string
}

export class GraphError extends Error {
  readonly parts: ErrorParts

  constructor(parts: ErrorParts) {
    super(parts.message)
    this.name = 'GraphError'
    this.parts = parts
  }
}

export function renderGraphError({ parts }: GraphError, traceId: string) {
  const { code, subcode, details } = parts
  return {
    error: {
      message: parts.message,
      type: 'OAuthException',
      code,
      ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      fbtrace_id: traceId,
    },
  }
}

export const invalidToken = () =>
  new GraphError({
    status: 401,
    code: 190,
    message: 'Invalid OAuth access token - Cannot parse access token',
  })

/** One answer for a missing object and a forbidden one, so that they cannot be told apart. */
export const unknownObject = (id: string) =>
  new GraphError({
    status: 400,
    code: 100,
    subcode: 33,
    message:
      `Unsupported post request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
      'missing permissions, or does not support this operation. Please read the Graph API ' +
      'documentation at https://developers.facebook.com/docs/graph-api',
  })

export const unknownPath = (path: string) =>
  new GraphError({ status: 400, code: 2500, message: `Unknown path components: ${path}` })

export const invalidRequest = (details: string, status = 400) =>
  new GraphError({ status, code: 100, message: '(#100) Invalid parameter', details })

export const missingParameter = (name: string) =>
  new GraphError({
    status: 400,
    code: 131008,
    message: '(#131008) Required parameter is missing',
    details: `Parameter "${name}" is required.`,
  })

export const invalidParameter = (details: string) =>
  new GraphError({
    status: 400,
    code: 131009,
    subcode: 2494010,
    message: '(#131009) Parameter value is not valid',
    details,
  })

export const internalError = () =>
  new GraphError({ status: 500, code: 1, message: 'An unknown error occurred' })
