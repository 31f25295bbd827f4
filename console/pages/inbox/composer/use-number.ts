// Whether messages can leave the number that a conversation belongs to.
import { useQueryClient } from '@tanstack/react-query'
import type { OwnNumber } from '../../../api/types.ts'
import { useLive } from '../../../shell/live.tsx'
import { numbersKey, useNumbers } from '../people.ts'
import { sender } from './sender.ts'

/** `gone`: not connected any more. Undefined as long as nobody knows. */
export type NumberState = OwnNumber['auth_status'] | 'gone' | undefined

export function useNumber(phoneNumberId: string): NumberState {
  const queries = useQueryClient()
  useLive(({ type }) => {
    if (type !== 'account.updated' && type !== 'stream.reset') return
    void queries.invalidateQueries({ queryKey: numbersKey })
    sender.wake()
  })
  const { data } = useNumbers()
  if (!data) return undefined
  return data.find((one) => one.phone_number_id === phoneNumberId)?.auth_status ?? 'gone'
}
