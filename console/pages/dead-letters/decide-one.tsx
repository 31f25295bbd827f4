// A decision on one letter: what will happen, why, and what to say when somebody else was first.
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { type ApiProblem, toProblem } from '../../api/problem.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { useActorName } from './actors.ts'
import { decideWords } from './decide-words.ts'
import { failsAgain } from './fails-again.ts'
import { type VerbName, verbsFor } from './inspector.tsx'
import {
  type Inspection,
  type Letter,
  useLetterChange,
  useLettersPath,
  type Verb,
} from './letters.ts'
import { ReasonField, useReason } from './reason-field.tsx'
import { letterWords } from './words.ts'

interface DecideOneProps {
  letter: Inspection
  verb: Verb
  onClose(): void
}

export function DecideOne({ letter, verb, onClose }: DecideOneProps) {
  const words = useWords(decideWords)
  const { cancel, close } = useWords(common)
  const path = useLettersPath()
  const change = useLetterChange()
  const toasts = useToasts()
  const reason = useReason()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const name: VerbName = verbsFor(letter).find((one) => one.verb === verb)?.name ?? 'discard'
  const isOver = problem !== undefined && !problem.isPassing && problem.status === 409

  async function decide(): Promise<void> {
    const said = reason.take()
    if (said === undefined || isBusy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const decided = await post<Letter>(`${path}/${letter.id}/${verb}`, { reason: said })
      change(letter.id, decided)
      if (decided.state !== 'open') toasts.say(words.done[decided.state])
      onClose()
    } catch (error) {
      const refused = toProblem(error)
      setProblem(refused)
      if (refused.status === 409) change(letter.id, decisionIn(refused))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={words.titles[name]}
      onClose={onClose}
      onSubmit={() => void decide()}
      foot={
        isOver ? (
          <Button look="primary" onClick={onClose}>
            {close}
          </Button>
        ) : (
          <>
            <Button onClick={onClose}>{cancel}</Button>
            <Button look="primary" type="submit" busy={isBusy}>
              {words.verbs[name]}
            </Button>
          </>
        )
      }
    >
      {isOver ? (
        <Overtaken problem={problem} />
      ) : (
        <>
          <p>{willHappen(name, words)}</p>
          {name === 'requeue' && failsAgain(letter.reason) && <p>{words.willFail}</p>}
          <ReasonField reason={reason} hint={words.reasonHint} />
          {problem && <Trouble error={problem} />}
        </>
      )}
    </Dialog>
  )
}

function willHappen(name: VerbName, words: (typeof decideWords)['en']): string {
  return {
    requeue: words.willRequeue,
    sendAgain: words.willSendAgain,
    process: words.willProcess,
    discard: words.willDiscard,
    markSent: words.willMarkSent,
  }[name]
}

/** What a refusal tells about the letter. */
function decisionIn({ code, details }: ApiProblem): Partial<Letter> {
  if (code !== 'ALREADY_DECIDED') return {}
  const { state, decided_at, decided_by } = details as Partial<Letter>
  return {
    ...(state && { state }),
    ...(decided_at && { decided_at }),
    ...(decided_by && { decided_by }),
  }
}

/** Somebody else decided, or it settled by itself, while this one was being read. */
function Overtaken({ problem }: { problem: ApiProblem }) {
  const words = useWords(decideWords)
  const { states } = useWords(letterWords)
  const nameOf = useActorName()
  const format = useFormat()
  const { state, decided_by, decided_at } = decisionIn(problem)
  const said: Record<string, string> = {
    MESSAGE_NOT_FAILED: words.notFailed,
    PAYLOAD_PRUNED: words.pruned,
    OUTCOME_KNOWN: words.known,
  }
  return (
    <p role="alert">
      {state
        ? words.already(
            nameOf(decided_by),
            states[state],
            format.ago(decided_at ?? Date.now(), Date.now()),
          )
        : (said[problem.code] ?? problem.message)}
    </p>
  )
}
