// What an event of the stream says of conversations and messages, out of its envelope.
import type { StreamEvent } from '../../api/stream-frames.ts'

export interface Told {
  conversation_id?: string
  message_id?: string
  status?: string
  changed?: string[]
  merged_into?: string | null
}

export const toldOf = ({ data }: StreamEvent): Told => (data as { data?: Told } | null)?.data ?? {}
