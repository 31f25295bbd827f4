// As much of a target as may be shown: enough to tell two apart, too little to use it.
import type { ChannelKind } from './model.ts'

/** Of a long secret its end gives nothing away. */
const longEnough = 24

export function hintOf(kind: ChannelKind, target: string): string {
  if (kind === 'pagerduty') return `…${endOf(target)}`
  const { origin, pathname, search } = new URL(target)
  return `${origin}/…${endOf(pathname + search)}`
}

function endOf(text: string): string {
  return text.length >= longEnough ? text.slice(-4) : ''
}
