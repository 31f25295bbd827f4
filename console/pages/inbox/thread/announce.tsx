// New messages for those who listen: politely, and failures at once. The log itself stays silent, because most of what is
// drawn in it was there before.
import { useEffect, useRef, useState } from 'react'
import type { MessageInList } from '../../../api/types.ts'
import { useWords } from '../../../words/language.tsx'
import { useSummary } from './content.tsx'
import { spokenText } from './json.ts'
import { isShown } from './rows.ts'
import { senderName, useThread } from './shown.ts'
import { threadWords } from './words.ts'

/** News is among the latest. */
const looked = 50

export function Announcements({ messages }: { messages: MessageInList[] }) {
  const words = useWords(threadWords)
  const summary = useSummary()
  const { name } = useThread()
  const [polite, setPolite] = useState('')
  const [urgent, setUrgent] = useState('')
  const before = useRef<Map<string, string>>(undefined)

  // biome-ignore lint/correctness/useExhaustiveDependencies: only what came is news, not the language it is told in.
  useEffect(() => {
    const latest = messages.slice(0, looked)
    const known = before.current
    before.current = new Map(latest.map(({ id, status }) => [id, status]))
    if (!known) return
    const newest = messages.find(({ id }) => known.has(id))
    const said = ({ type, content, rendered }: MessageInList) =>
      summary(type, content, spokenText(type, content, rendered))
    const isNew = (one: MessageInList) =>
      !known.has(one.id) && (!newest || one.occurred_at >= newest.occurred_at)
    const come = latest.filter((one) => one.direction === 'inbound' && isShown(one) && isNew(one))
    if (come.length > 0) {
      const told = come.map((one) =>
        words.wroteNow(one.sender ? senderName(one.sender) : name, said(one)),
      )
      setPolite(told.reverse().join('\n'))
    }
    const failed = latest.filter(
      (one) =>
        one.status === 'failed' &&
        known.get(one.id) !== 'failed' &&
        (known.has(one.id) || isNew(one)),
    )
    if (failed.length > 0) setUrgent(failed.map((one) => words.failedNow(said(one))).join('\n'))
  }, [messages])

  return (
    <>
      <div className="sr" aria-live="polite" data-said="politely">
        {polite}
      </div>
      <div className="sr" aria-live="assertive" data-said="at-once">
        {urgent}
      </div>
    </>
  )
}
