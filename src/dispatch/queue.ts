// The port between the queues and whatever drives them. Rows in Postgres are the queue; dispatch only says when to look.
export interface Queue {
  name: 'inbox' | 'outbox'
  /** Claims, works and settles one batch of what is due. Returns how many rows it took; 0: nothing is due. */
  runDue(): Promise<number>
}

export interface Dispatch {
  /** Asks for a queue to be looked at soon. Lossy by contract: the poll finds what a lost wake missed. */
  wake(queue: Queue['name']): void
}
