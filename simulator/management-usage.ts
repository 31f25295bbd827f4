// Counts management calls per app and business account, as Meta does by the hour, and says so in
// the X-Business-Use-Case-Usage header.
import type { Clock } from './time-and-chance.ts'

export interface ManagementUsage {
  /** Counts one call; `isWithin` is false for the calls that are refused with 80008. */
  count(appId: string, wabaId: string, limit: number): { header: string; isWithin: boolean }
}

const hourMs = 60 * 60 * 1000

export function createManagementUsage(clock: Clock): ManagementUsage {
  const calls = new Map<string, number[]>()
  return {
    count(appId, wabaId, limit) {
      const key = `${appId} ${wabaId}`
      const now = clock.now().getTime()
      const times = (calls.get(key) ?? []).filter((at) => at > now - hourMs)
      const isWithin = times.length < limit
      if (isWithin) times.push(now)
      calls.set(key, times)
      const waitMs = isWithin ? 0 : (times[0] ?? now) + hourMs - now
      const usage = {
        type: 'whatsapp_business_management',
        call_count: Math.ceil((times.length * 100) / limit),
        total_cputime: 1,
        total_time: 1,
        // Minutes, unlike every other time of Meta's.
        estimated_time_to_regain_access: Math.ceil(waitMs / 60_000),
      }
      return { header: JSON.stringify({ [wabaId]: [usage] }), isWithin }
    },
  }
}
