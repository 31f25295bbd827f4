// A message that has not left yet: what it waits for, until when, and taking it back.
import { useState } from 'react'
import { post } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { MessageInList } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { Time } from '../../../parts/time.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { ViewLink } from '../../../shell/place.tsx'
import { useWords } from '../../../words/language.tsx'
import { useThread } from './shown.ts'
import { threadWords } from './words.ts'

export function Waiting({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const { name, look } = useThread()
  const { may } = useSession()
  const toasts = useToasts()
  const [isBusy, setBusy] = useState(false)
  const wait = message.waits_for
  if (!wait) return null
  const { reason, until, error_code } = wait
  const text = error_code === 'PAIR_RATE_LIMITED' ? words.waitPair(name) : words.wait[reason]
  async function cancel(): Promise<void> {
    setBusy(true)
    try {
      await post(`/api/whatsapp/messages/${message.id}/cancel`)
    } catch (error) {
      toasts.complain(error)
    }
    setBusy(false)
    look([message.id])
  }
  return (
    <div className="thread-waiting">
      <p>
        {text}
        {until && (
          <>
            {' '}
            {reason === 'scheduled' ? words.goesOut : words.nextTry} <Time at={until} as="until" />.
          </>
        )}
        {reason === 'reconnect' && !may('admin') && ` ${words.askAdmin}`}
      </p>
      {reason !== 'in_flight' && (
        <div className="row wrap">
          {reason === 'reconnect' && may('admin') && (
            <ViewLink className="btn plain sm" to="/accounts">
              {words.reconnect}
            </ViewLink>
          )}
          <Button small icon="x" busy={isBusy} onClick={() => void cancel()}>
            {words.cancel}
          </Button>
        </div>
      )}
    </div>
  )
}
