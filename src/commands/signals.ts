// What Ctrl-C and a supervisor's wish to stop do.

/** Resolves at the first SIGINT or SIGTERM. From then on a second one ends the process the usual way. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    function stop(signal: NodeJS.Signals) {
      process.off('SIGINT', stop)
      process.off('SIGTERM', stop)
      resolve(signal)
    }
    process.on('SIGINT', stop)
    process.on('SIGTERM', stop)
  })
}

/** The same as a signal of ours, for what waits in between. */
export function stoppingWith(stopped: Promise<unknown>): AbortSignal {
  const stopping = new AbortController()
  void stopped.then(() => stopping.abort())
  return stopping.signal
}

/** Ends a command without a word; cli.ts gives it the exit code that shells give. */
export class Interrupted extends Error {
  readonly signal: NodeJS.Signals

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.name = 'Interrupted'
    this.signal = signal
  }
}

/** Gives up waiting for the work when the process is asked to stop, so that what was opened for it is closed. */
export function unlessStopped<Result>(work: Promise<Result>): Promise<Result> {
  const stopped = untilStopped().then((signal) => {
    throw new Interrupted(signal)
  })
  return Promise.race([work, stopped])
}
