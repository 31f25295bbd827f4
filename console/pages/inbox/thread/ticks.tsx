// How far a message got: a mark, its words, and every step with its exact time when hovered.
import type { MessageInList } from '../../../api/types.ts'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { threadWords } from './words.ts'

type Status = MessageInList['status']

const marks: Record<Status, IconName> = {
  queued: 'clock',
  sent: 'tick',
  delivered: 'ticks',
  read: 'ticks',
  played: 'ticks',
  failed: 'alert',
  unknown: 'warn',
  cancelled: 'x',
  received: 'check',
}

export function Ticks({ status }: { status: Status }) {
  const words = useWords(threadWords)
  return (
    <Icon name={marks[status]} className={`thread-tick ${status}`} label={words.status[status]} />
  )
}

/** `Sent: Monday, 16 November 2026 at 10:56:03 CET`, a line for each step. */
export function useSteps(): (message: Pick<MessageInList, 'timeline'>) => string {
  const words = useWords(threadWords)
  const format = useFormat()
  return ({ timeline }) =>
    timeline
      .map(({ status, at }) => {
        const said = Object.hasOwn(words.status, status) ? words.status[status as Status] : status
        return `${said}: ${format.exact(at)}`
      })
      .join('\n')
}
