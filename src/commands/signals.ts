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
