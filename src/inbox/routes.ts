// Step 1 of 4, at the door: who may hand in a webhook, and what each case is answered.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { sendError } from '../http.ts'
import { errorFields, type Log, type LogFields } from '../log.ts'
import { isSignatureHeader, isSigned } from '../meta/signature.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import type { Traces } from '../tracing/traces.ts'
import type { Receiver } from './receive.ts'
import { traceReceived } from './trace.ts'

export interface WebhookOptions {
  receiver: Receiver
  appSecrets: readonly string[]
  verifyToken: string | undefined
  log: Log
  metrics: Metrics
  clock: Clock
  traces: Traces | undefined
}

const paths = ['/api/webhooks/meta/whatsapp', '/webhooks/whatsapp']

/** Meta sends up to 3 MB. */
export const webhookBodyLimit = 4 * 1024 * 1024

type Outcome =
  | 'accepted'
  | 'duplicate'
  | 'bad_signature'
  | 'bad_token'
  | 'too_large'
  | 'bad_request'
  | 'not_stored'

export function mountWebhooks(app: FastifyInstance, options: WebhookOptions): void {
  const report = createReport(options)
  const refuse = (
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: Outcome,
    error: AppError,
  ) => {
    report(request, outcome, error.status, { error_code: error.code, error_message: error.message })
    return sendError(reply, request.id, error)
  }

  app.register((scope, _options, done) => {
    // Whatever its type says, the body is bytes: the signature is over them, and so is the truth.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )

    // Before a byte of the body is read: most of what is not Meta's is turned away here.
    scope.addHook('onRequest', (request, reply, done) => {
      if (request.method !== 'POST') return done()
      if (!isSignatureHeader(request.headers['x-hub-signature-256'])) {
        void refuse(request, reply, 'bad_signature', invalidSignature())
      } else if (request.headers['content-encoding'] !== undefined) {
        void refuse(request, reply, 'bad_request', encodingRefused())
      } else if (Number(request.headers['content-length']) > webhookBodyLimit) {
        // Said before the body comes: once it is on its way, closing under it hides the answer from some clients.
        void refuse(request, reply, 'too_large', tooLarge())
      } else {
        // Fastify answers 415 to a type that it cannot read, before any parser.
        request.headers['content-type'] = 'application/octet-stream'
        done()
      }
    })
    scope.setErrorHandler((error, request, reply) => {
      const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
      if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        void refuse(request, reply, 'too_large', tooLarge())
      else void refuse(request, reply, 'bad_request', malformedRequest(statusCode))
    })

    for (const path of paths) {
      const config = { isWebhook: true }
      scope.get(path, { config }, async (request, reply) =>
        handshake(request, reply, options.verifyToken, refuse),
      )
      scope.post(path, { config, bodyLimit: webhookBodyLimit }, async (request, reply) => {
        const raw = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const header = request.headers['x-hub-signature-256'] as string
        if (!isSigned(raw, header, options.appSecrets)) {
          return refuse(request, reply, 'bad_signature', invalidSignature())
        }
        try {
          const received = await options.receiver.receive(raw)
          report(request, received.eventId ? 'accepted' : 'duplicate', 200, {
            bytes: raw.length,
            eventId: received.eventId,
            inbound_event_id: received.inboundEventId,
            correlation_id: received.correlationId,
            phone_number_id: received.phoneNumberId,
          })
          traceReceived(options, received, request.startedMs, raw.length)
          return { received: true }
        } catch (error) {
          // Whether it was stored is not known; Meta sends it again, and what is there already has no second effect.
          report(request, 'not_stored', 500, { bytes: raw.length, ...errorFields(error) })
          return sendError(reply, request.id, notStored())
        }
      })
    }
    done()
  })
}

/** One log line and one count per request. */
function createReport({ clock, log, metrics }: WebhookOptions) {
  return (request: FastifyRequest, outcome: Outcome, statusCode: number, fields: LogFields) => {
    const durationMs = clock.monotonicMs() - request.startedMs
    metrics.webhookRequests.inc({ outcome })
    if (outcome === 'duplicate') metrics.dedupeHits.inc({ layer: 'delivery' })
    if (statusCode === 200 || outcome === 'not_stored') {
      metrics.webhookAckSeconds.observe(durationMs / 1000)
      metrics.recent.observe('webhook_ack', durationMs, fields.phone_number_id)
    } else {
      // Who is turned away at the door waited for nothing: many of them would make the others look quick.
      metrics.recent.observe('webhook_rejected', 0)
    }
    if (outcome === 'not_stored') metrics.recent.observe('webhook_failed', 0)
    const line: LogFields = {
      direction: 'inbound',
      statusCode,
      duration_ms: Math.round(durationMs * 10) / 10,
      request_id: request.id,
      state: outcome,
      ...fields,
    }
    if (statusCode === 200) log.info('webhook_received', line)
    else log.warn('webhook_rejected', line)
  }
}

function handshake(
  request: FastifyRequest,
  reply: FastifyReply,
  verifyToken: string | undefined,
  refuse: (
    request: FastifyRequest,
    reply: FastifyReply,
    outcome: Outcome,
    error: AppError,
  ) => FastifyReply,
): FastifyReply {
  const query = request.query as Record<string, unknown>
  const token = query['hub.verify_token']
  const challenge = query['hub.challenge']
  const isOurs =
    ['subscribe', undefined].includes(query['hub.mode'] as string | undefined) &&
    typeof token === 'string' &&
    verifyToken !== undefined &&
    isSameText(token, verifyToken)
  if (!isOurs) {
    const refusal = new AppError(
      'VERIFICATION_FAILED',
      403,
      'hub.mode or hub.verify_token is not right.',
    )
    return refuse(request, reply, 'bad_token', refusal)
  }
  // Nothing that a browser could take for a page is echoed, although it would need the token to get here.
  if (typeof challenge !== 'string' || !/^[^<>\p{Cc}]{1,1024}$/u.test(challenge)) {
    return sendError(
      reply,
      request.id,
      new AppError('INVALID_REQUEST', 400, 'hub.challenge: not a challenge'),
    )
  }
  return reply.type('text/plain').send(challenge)
}

function isSameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function invalidSignature(): AppError {
  return new AppError(
    'INVALID_SIGNATURE',
    401,
    'X-Hub-Signature-256 is missing or does not match the body.',
  )
}

function encodingRefused(): AppError {
  return new AppError(
    'UNSUPPORTED_ENCODING',
    415,
    'Send the body as it was signed, without Content-Encoding.',
  )
}

function tooLarge(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', 413, 'The body is over 4 MiB.')
}

function malformedRequest(status: number): AppError {
  return new AppError('INVALID_REQUEST', status, 'The request is malformed.')
}

function notStored(): AppError {
  return new AppError('NOT_STORED', 500, 'The delivery could not be stored. Send it again.', {
    headers: { 'retry-after': '1' },
  })
}
