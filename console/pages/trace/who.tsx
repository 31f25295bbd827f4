// From or for whom a message is, and how far it got.
import { Badge } from '../../parts/basics.tsx'
import { useWords } from '../../words/language.tsx'
import type { Traced } from './traces.ts'
import { traceWords } from './words.ts'

export function whoOf({ contact, direction }: Traced, words: (typeof traceWords)['en']): string {
  const who = contact?.name ?? (contact?.wa_id ? `+${contact.wa_id}` : words.somebody)
  return direction === 'inbound' ? words.from(who) : words.to(who)
}

const tones: Record<string, 'ok' | 'bad' | 'warn'> = {
  delivered: 'ok',
  read: 'ok',
  played: 'ok',
  failed: 'bad',
  unknown: 'warn',
}

export function StatusBadge({ status }: { status: string }) {
  const words = useWords(traceWords)
  const known: Record<string, string> = words.statuses
  return <Badge tone={tones[status] ?? 'plain'}>{known[status] ?? status}</Badge>
}
