// A message of which nobody knows whether Meta has it: an admin says so, or sends it again; the reason goes into the audit.
import { useState } from 'react'
import { get, post } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { List, MessageInList } from '../../../api/types.ts'
import { Field } from '../../../parts/basics.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Trouble } from '../../../parts/states.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { common } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { useThread } from './shown.ts'
import { threadWords } from './words.ts'

type Verb = 'mark-sent' | 'requeue'

export function Decide({ message }: { message: MessageInList }) {
  const words = useWords(threadWords)
  const { may } = useSession()
  const [verb, setVerb] = useState<Verb>()
  if (!may('admin')) return <span className="xs soft">{words.adminDecides}</span>
  return (
    <>
      <Button small icon="check" onClick={() => setVerb('mark-sent')}>
        {words.markSent}
      </Button>
      <Button small icon="again" onClick={() => setVerb('requeue')}>
        {words.sendAnyway}
      </Button>
      {verb && <Decision message={message} verb={verb} onClose={() => setVerb(undefined)} />}
    </>
  )
}

function Decision({
  message,
  verb,
  onClose,
}: {
  message: MessageInList
  verb: Verb
  onClose(): void
}) {
  const words = useWords(threadWords)
  const shared = useWords(common)
  const toasts = useToasts()
  const { name, look } = useThread()
  const [reason, setReason] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const isMark = verb === 'mark-sent'
  async function decide(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      const path = '/api/whatsapp/dlq'
      const { data } = await get<List<{ id: string }>>(path, { message_id: message.id })
      const [letter] = data
      if (letter) await post(`${path}/${letter.id}/${verb}`, { reason })
      else toasts.say(words.alreadyDecided)
      look([message.id])
      onClose()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={isMark ? words.markSentTitle : words.sendAnywayTitle}
      onClose={onClose}
      onSubmit={() => {
        if (reason.trim() !== '' && !isBusy) void decide()
      }}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" look="primary" busy={isBusy} disabled={reason.trim() === ''}>
            {isMark ? words.markSentDo : words.sendAnywayDo}
          </Button>
        </>
      }
    >
      <p>{isMark ? words.markSentText(name) : words.sendAnywayText(name)}</p>
      <Field label={words.reason}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
      {error !== undefined && <Trouble error={error} />}
    </Dialog>
  )
}
