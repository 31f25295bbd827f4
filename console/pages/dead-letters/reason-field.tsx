// Why somebody decides so: asked for once, and offered again for the next decision of the same sitting.
import { useState } from 'react'
import { Field } from '../../parts/basics.tsx'
import { useWords } from '../../words/language.tsx'
import { decideWords } from './decide-words.ts'

const storageKey = 'estafet.decision-reason'
const maxLength = 500

export function useReason() {
  const [text, setText] = useState(() => sessionStorage.getItem(storageKey) ?? '')
  const [isMissing, setMissing] = useState(false)
  return {
    text,
    isMissing,
    change: (said: string) => {
      setText(said)
      setMissing(false)
    },
    /** The reason to send, or undefined when there is none; then it is asked for. */
    take: (): string | undefined => {
      const said = text.trim()
      setMissing(said === '')
      if (said === '') return undefined
      sessionStorage.setItem(storageKey, said)
      return said
    },
  }
}

export function ReasonField({
  reason,
  hint,
}: {
  reason: ReturnType<typeof useReason>
  hint: string
}) {
  const words = useWords(decideWords)
  return (
    <Field
      label={words.reason}
      hint={hint}
      problem={reason.isMissing ? words.reasonMissing : undefined}
    >
      {(tied) => (
        <textarea
          {...tied}
          className="control"
          name="reason"
          rows={2}
          maxLength={maxLength}
          value={reason.text}
          data-autofocus
          onChange={(event) => reason.change(event.target.value)}
        />
      )}
    </Field>
  )
}
