// The port between the queues and whatever drives them. Rows in Postgres are the queue; dispatch only says when to look.
export interface Queue {
  name: 'inbox' | 'outbox' | 'media' | 'events' | 'deliveries'
  /** Claims, works and settles one batch of what is due. Returns how many rows it took; 0: nothing is due. */
  runDue(): Promise<number>
  /** For queues that work on after `runDue`: `listener` is to be called when something ended, and more may be due. */
  onFreed?(listener: () => void): void
  /** Resolves when nothing that was taken is under way. */
  idle?(): Promise<void>
}

export interface Dispatch {
  /** Asks for a queue, or for what the stream's readers wait for, to be looked at soon. Lossy by contract: the poll finds what a lost wake missed. */
  wake(queue: Queue['name'] | 'stream'): void
}
