// What can be wrong with the whole, by a word for programs, and said for people who read a terminal.
import type { troubleCodes } from '../api/contract-health.ts'

export interface Trouble {
  code: (typeof troubleCodes)[number]
  count: number
  seconds: number | null
}

/** Undefined where others say it better. */
export function reasonOf(
  { code, count, seconds }: Trouble,
  deadLetterThreshold: number,
): string | undefined {
  const forSeconds = `for ${Math.round(seconds ?? 0)} s`
  switch (code) {
    case 'blocked':
      return undefined
    case 'webhook_waits':
      return `a webhook has been waiting ${forSeconds}`
    case 'webhook_retried':
      return `a webhook is being retried ${forSeconds}`
    case 'send_waits':
      return `a message has been due ${forSeconds}`
    case 'meta_unreachable':
      return 'Meta cannot be reached'
    case 'numbers_failing':
      return `Meta fails for ${count} number(s)`
    case 'reauth_needed':
      return `${count} account(s) need to be reconnected`
    case 'dead_letters':
      return `${count} tenant(s) have more than ${deadLetterThreshold} open dead letters`
    case 'not_counted':
      return 'there is more waiting than can be counted at once, and no worker counts it'
  }
}
