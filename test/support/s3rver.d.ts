declare module 's3rver' {
  import type { AddressInfo } from 'node:net'

  /** What the tests use of it. */
  class S3rver {
    constructor(options: {
      address?: string
      port: number
      silent: boolean
      directory: string
      configureBuckets: { name: string }[]
    })
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
  export = S3rver
}
