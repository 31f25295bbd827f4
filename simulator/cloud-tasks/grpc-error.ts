// An answer of the emulated Cloud Tasks other than OK.
import { status } from '@grpc/grpc-js'

export class GrpcError extends Error {
  readonly code: status
  /** What grpc-js sends as the message. */
  readonly details: string

  constructor(code: status, details: string) {
    super(details)
    this.name = 'GrpcError'
    this.code = code
    this.details = details
  }
}

export const invalid = (details: string) => new GrpcError(status.INVALID_ARGUMENT, details)
export const notFound = (details: string) => new GrpcError(status.NOT_FOUND, details)
