// Inside a message that the gateway refused: why, and what can be done about it.
import { Button } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useProblemText } from '../../../parts/states.tsx'
import { common } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { sender } from './sender.ts'
import type { Sending, Unsent } from './sending.ts'
import { composerWords } from './words.ts'

/** A file that only the gateway has cannot be put back into the field. */
const hasFileHere = (type: string, key: string) =>
  type !== 'template' && sender.filesOf(key).length > 0

export function Refusal({
  name,
  sending,
  unsent,
}: {
  /** The contact's. */
  name: string
  sending: Sending
  unsent: Unsent
}) {
  const words = useWords(composerWords)
  const shared = useWords(common)
  const textOf = useProblemText()
  const { problem, draft, key } = unsent
  if (!problem) return null
  const known = (words.refusals as Record<string, ((name: string) => string) | undefined>)[
    problem.code
  ]
  const isEditable =
    draft.type === 'text' || problem.code === 'FILE_GONE' || hasFileHere(draft.type, key)
  return (
    <div className="thread-why" role="alert">
      <b>
        <Icon name="alert" />
        {words.notSent}
      </b>
      <p dir="auto">{known ? known(name) : textOf(problem)}</p>
      <div className="row wrap">
        {problem.code === 'WINDOW_CLOSED' ? (
          <Button small icon="template" onClick={() => sending.chooseTemplate?.(key)}>
            {words.sendAsTemplate}
          </Button>
        ) : (
          problem.code !== 'FILE_GONE' && (
            <Button small icon="again" onClick={() => sending.retry(key)}>
              {shared.tryAgain}
            </Button>
          )
        )}
        {isEditable && (
          <Button small icon="edit" onClick={() => sending.edit?.(key)}>
            {words.edit}
          </Button>
        )}
        <Button small look="ghost" icon="trash" onClick={() => sending.discard(key)}>
          {words.discard}
        </Button>
        {problem.requestId && (
          <span className="row xs soft push">
            {problem.code} <CopyButton text={problem.requestId} />
          </span>
        )}
      </div>
    </div>
  )
}
