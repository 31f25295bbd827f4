// What the contact wants no more of, since when and why; admins lift it with a reason.
import { useState } from 'react'
import { post } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { Conversation } from '../../../api/types.ts'
import { Field } from '../../../parts/basics.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Trouble } from '../../../parts/states.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useToasts } from '../../../parts/toast.tsx'
import { common } from '../../../words/common.ts'
import { useFormat, useWords } from '../../../words/language.tsx'
import { useConversationCache } from '../cache.ts'
import { contactName } from '../people.ts'
import { inboxWords } from '../words.ts'

type Suppression = Conversation['suppressions'][number]

export function OptOuts({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const format = useFormat()
  const now = useNow()
  const { may } = useSession()
  const [lifting, setLifting] = useState<Suppression>()
  if (conversation.suppressions.length === 0) return null
  return (
    <section className="inbox-section">
      <h3>{words.optedOut}</h3>
      <ul className="inbox-opt-outs">
        {conversation.suppressions.map((one) => (
          <li key={one.id}>
            <Icon name="alert" className="warn" />
            <div>
              <b className="strong">{words.scopes[one.scope]}</b>
              <p className="xs muted" title={format.exact(one.since)}>
                {words.reasons[one.reason]}, {words.since(format.short(one.since, now))}
              </p>
            </div>
            {may('admin') && (
              <Button small onClick={() => setLifting(one)}>
                {words.lift}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {lifting && (
        <LiftDialog
          conversation={conversation}
          suppression={lifting}
          onClose={() => setLifting(undefined)}
        />
      )}
    </section>
  )
}

interface LiftProps {
  conversation: Conversation
  suppression: Suppression
  onClose(): void
}

function LiftDialog({ conversation, suppression, onClose }: LiftProps) {
  const words = useWords(inboxWords)
  const general = useWords(common)
  const cache = useConversationCache()
  const { say } = useToasts()
  const [reason, setReason] = useState('')
  const [isAsked, setAsked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  async function lift(): Promise<void> {
    setAsked(true)
    if (reason.trim() === '' || isBusy) return
    setBusy(true)
    try {
      await post(`/api/whatsapp/suppressions/${suppression.id}/lift`, { reason: reason.trim() })
      cache.change(conversation.id, (before) => ({
        ...before,
        suppressions: before.suppressions.filter(({ id }) => id !== suppression.id),
      }))
      say(words.lifted)
      onClose()
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <Dialog
      title={words.liftTitle}
      onClose={onClose}
      onSubmit={() => void lift()}
      foot={
        <>
          <Button onClick={onClose}>{general.cancel}</Button>
          <Button type="submit" look="primary" busy={isBusy}>
            {words.liftNow}
          </Button>
        </>
      }
    >
      <p>{words.liftText(contactName(conversation))}</p>
      <Field
        label={words.liftReason}
        problem={isAsked && reason.trim() === '' ? words.reasonNeeded : undefined}
      >
        {(tied) => (
          <input
            className="control"
            name="reason"
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            {...tied}
          />
        )}
      </Field>
      {error !== undefined && <Trouble error={error} />}
    </Dialog>
  )
}
