// Meta's refusals: one class, one rendering, and the errors that belong to the Graph API itself
// rather than to WhatsApp (those are in whatsapp-errors.ts).

export interface ErrorParts {
  status: number
  code: number
  message: string
  /** OAuthException unless said otherwise. */
  type?: string
  subcode?: number
  details?: string
  /** Instead of `details`: error_data as a string of JSON, which is how some edges answer. */
  blamedFields?: string[]
  isTransient?: boolean
  userTitle?: string
  userMessage?: string
  headers?: Record<string, string>
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
  const { details, blamedFields } = parts
  const errorData =
    details !== undefined
      ? { messaging_product: 'whatsapp', details }
      : blamedFields && JSON.stringify({ blame_field_specs: [blamedFields] })
  // JSON leaves out what is undefined.
  return {
    error: {
      message: parts.message,
      type: parts.type ?? 'OAuthException',
      code: parts.code,
      error_data: errorData,
      error_subcode: parts.subcode,
      is_transient: parts.isTransient,
      error_user_title: parts.userTitle,
      error_user_msg: parts.userMessage,
      fbtrace_id: traceId,
    },
  }
}

/** One answer for a missing object and a forbidden one, so that they cannot be told apart. */
export const unknownObject = (id: string, method = 'POST') =>
  new GraphError({
    status: 400,
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot ` +
      'be loaded due to missing permissions, or does not support this operation. Please read the ' +
      'Graph API documentation at https://developers.facebook.com/docs/graph-api',
  })

export const unknownPath = (path: string) =>
  new GraphError({ status: 400, code: 2500, message: `Unknown path components: ${path}` })

export const unknownField = (field: string, node: string) =>
  new GraphError({
    status: 400,
    code: 100,
    message: `(#100) Tried accessing nonexisting field (${field}) on node type (${node})`,
  })

export const invalidRequest = (details: string, status = 400) =>
  new GraphError({ status, code: 100, message: '(#100) Invalid parameter', details })

/** The wording of edges that are not WhatsApp's own, such as oauth and uploads. */
export const parameterRequired = (name: string) =>
  new GraphError({ status: 400, code: 100, message: `(#100) The parameter ${name} is required` })

export const internalError = () =>
  new GraphError({ status: 500, code: 1, message: 'An unknown error occurred', isTransient: false })

export const callbackRefused = (reason: string) =>
  new GraphError({
    status: 400,
    code: 2200,
    message: `(#2200) Callback verification failed with the following errors: ${reason}`,
  })

export const tooManyManagementCalls = (headers: Record<string, string>) =>
  new GraphError({
    status: 400,
    code: 80008,
    message:
      '(#80008) There have been too many calls to this WhatsApp Business account. Wait a bit and ' +
      'try again.',
    headers,
  })
