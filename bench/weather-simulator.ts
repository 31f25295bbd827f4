// The simulator's control API, as far as `bench weather` needs it.
import type { FaultInput } from '../simulator/faults/rules.ts'

export interface SimulatorControls {
  fault(rule: FaultInput): Promise<void>
  clear(): Promise<void>
  /** The most POSTs of a number in any second since the simulator started, by number. */
  mostInAnySecond(): Promise<Map<string, number>>
}

export function controlsOf(url: string): SimulatorControls {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${url}/simulator${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    if (!answer.ok) throw new Error(`bug: ${method} ${path} was answered ${await answer.text()}`)
    return answer.json() as Promise<{ data?: unknown }>
  }
  return {
    fault: async (rule) => void (await call('POST', '/faults', rule)),
    clear: async () => void (await call('DELETE', '/faults')),
    async mostInAnySecond() {
      const { data } = await call('GET', '/ledger/rate')
      const rates = data as { phone_number_id: string; max_in_any_second: number }[]
      return new Map(rates.map((one) => [one.phone_number_id, one.max_in_any_second]))
    },
  }
}
