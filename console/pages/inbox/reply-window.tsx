// How long a contact can still be answered freely, in words and as a ring.
import type { Conversation } from '../../api/types.ts'
import { Icon } from '../../parts/icon.tsx'
import { useNow } from '../../parts/time.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { windowOf } from './window.ts'
import { inboxWords } from './words.ts'

/** One line: `Closes in 3 h 12 min`, amber under an hour. */
export function WindowLine({ expiresAt }: { expiresAt: Conversation['window_expires_at'] }) {
  const words = useWords(inboxWords)
  const format = useFormat()
  const left = windowOf(expiresAt, useNow())
  if (left.kind !== 'open') {
    return (
      <span className="inbox-window">
        <Icon name="lock" size={14} />
        {words.windowClosed}
      </span>
    )
  }
  return (
    <span className={`inbox-window ${left.isSoonOver ? 'warn' : ''}`}>
      <Icon name="clock" size={14} />
      {words.closesIn(format.length(left.leftMs))}
    </span>
  )
}

/** What is left of 24 hours; empty when closed. */
export function WindowRing({ share, isSoonOver }: { share: number; isSoonOver: boolean }) {
  return (
    <svg
      className={`inbox-ring ${isSoonOver ? 'warn' : ''}`}
      viewBox="0 0 52 52"
      aria-hidden="true"
    >
      <circle className="track" cx="26" cy="26" r="22" />
      {share > 0 && (
        <circle
          className="left"
          cx="26"
          cy="26"
          r="22"
          pathLength="100"
          strokeDasharray={`${Math.max(1, share * 100)} 100`}
        />
      )}
    </svg>
  )
}
