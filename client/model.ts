// What a caller of the client gives and gets, besides what the API's description says.

export interface ClientOptions {
  /** Where the gateway is: https://gateway.example. */
  baseUrl: string
  /** A tenant's key or an operator's. */
  key: string
  /** For operators: for which tenant they ask. */
  tenantId?: string | undefined
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined
  /** Of one attempt; 30 seconds unless said. Infinity: nearly 25 days. */
  timeoutMs?: number | undefined
  /** How often a call is made again; 3 times unless said. */
  maxRetries?: number | undefined
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  tenantId?: string | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
  headers?: Record<string, string> | undefined
}

export interface SendOptions extends CallOptions {
  /** One that is kept by the caller also survives the end of the process. Made up for each call unless said. */
  idempotencyKey?: string | undefined
}

export interface Page<Item> {
  data: Item[]
  /** `next`: the cursor of the page after this one; null when it was the last. */
  paging: { next: string | null }
}

/** A list: all of it one by one, or a page at a time. Asks when it is read, and anew each time. */
export interface Pages<Item> extends AsyncIterable<Item> {
  pages(): AsyncGenerator<Page<Item>, void, void>
  /** The first, or the one after a cursor. */
  page(after?: string): Promise<Page<Item>>
}

export interface UploadedFile {
  /** With its type, unless `type` says it. */
  file: Blob
  filename?: string | undefined
  /** image/jpeg, or a kind of Meta's: image. */
  type?: string | undefined
}
