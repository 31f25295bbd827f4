// What came of asking Meta for a change, where it did not take it: in our words, then in Meta's.
import { toProblem } from '../../api/problem.ts'
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useProblemText } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { editorWords } from './editor/words.ts'

interface Details {
  meta_says?: { title: string | null; text: string | null }
  editable_again_at?: string | null
}

export function Refused({ error }: { error: unknown }) {
  const words = useWords(editorWords)
  const { requestId, somethingWrong } = useWords(common)
  const textOf = useProblemText()
  const problem = toProblem(error)
  const { meta_says: said, editable_again_at: again } = problem.details as Details
  // Whether Meta did it is more than "our side failed".
  const isMetas = problem.code.startsWith('PROVIDER_')
  const text = isMetas ? problem.message : textOf(problem)
  const metas = said?.text ?? said?.title
  return (
    <div className="banner bad" role="alert">
      <Icon name="alert" />
      <div className="templates-refused">
        <p>
          <b className="strong">{somethingWrong}</b> {text}
          {metas && metas !== text && ` ${words.metaSays}: “${metas}”`}
          {again && (
            <>
              {' '}
              {words.editableAgain} <Time at={again} as="until" />.
            </>
          )}
        </p>
        {problem.requestId && (
          <span className="row xs muted">
            {problem.code} · {requestId} <Copy text={problem.requestId} />
          </span>
        )}
      </div>
    </div>
  )
}
