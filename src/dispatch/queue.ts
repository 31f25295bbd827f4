// The port between the queues and whatever drives them. Rows in Postgres are the queue; dispatch only says when to look.
export interface Queue {
  name: 'inbox' | 'outbox' | 'media' | 'events' | 'deliveries' | 'alerts'
  /** Claims, works and settles one batch of what is due. Returns how many rows it took; 0: nothing is due. */
  runDue(): Promise<number>
  /** For queues that work on after `runDue`: `listener` is to be called when something ended, and more may be due. */
  onFreed?(listener: () => void): void
  /** Resolves when nothing that was taken is under way. */
  idle?(): Promise<void>
}

export interface Dispatch {
  /** Each row of inbox and outbox is called for by itself: nobody in this process looks for them. */
  isPushed: boolean
  /**
   * Asks for a queue, or for what the stream's readers wait for, to be looked at soon. Where rows are called for one by
   * one, `find` marks and names them; without it, whatever is due and has no ring coming. Lossy by contract, and never
   * rejects: the poll or the sweep finds what a lost wake missed. Resolves when it is done, with how many were rung for.
   */
  wake(queue: Queue['name'] | 'stream', find?: () => Promise<Ring[]>): Promise<number>
  close(): Promise<void>
}

/** One call for one row. */
export interface Ring {
  queue: 'inbox' | 'outbox'
  /** The row, and which of its rings this is: the same again is the same ring. */
  id: string
  number: number
  /** Whose it is: what has one owner goes one way, so that one owner's trouble does not slow all. */
  owner: string
  /** Not before then. */
  at: Date
  correlationId: string
  /** What the call says; nothing personal. */
  body: Record<string, string>
}
