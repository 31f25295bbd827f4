// @ts-check
// The feed as it comes. The browser reconnects by itself and names the last event it saw; when the
// simulator no longer has what came since, it says `missed`, and everything is loaded again.

/** @typedef {'live' | 'reconnecting' | 'offline'} LiveState */

const reopenMs = 3000

/**
 * @param {string} cursor
 * @param {{ onEvent(type: string, data: any): void, onState(state: LiveState): void }} listener
 */
export function listen(cursor, { onEvent, onState }) {
  const types = [
    'send_accepted',
    'status',
    'customer_message',
    'marked_read',
    'typing',
    'fault',
    'webhook',
    'presence',
    'reset',
    'missed',
  ]
  let last = cursor

  function open() {
    const source = new EventSource(`/simulator/feed?after=${encodeURIComponent(last)}`)
    source.onopen = () => onState('live')
    source.onerror = () => {
      // CLOSED means the browser has given up: the answer was no stream at all.
      if (source.readyState === EventSource.CLOSED) {
        onState('offline')
        setTimeout(open, reopenMs)
      } else onState('reconnecting')
    }
    for (const type of types) {
      source.addEventListener(type, (event) => {
        last = event.lastEventId
        onEvent(type, JSON.parse(event.data))
      })
    }
  }
  open()
}
