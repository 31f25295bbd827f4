// The selected message: its steps, and its ids to copy.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { get } from '../../../api/call.ts'
import { useSession } from '../../../api/session.tsx'
import type { Message } from '../../../api/types.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Skeleton, Trouble } from '../../../parts/states.tsx'
import { Time } from '../../../parts/time.tsx'
import { useLive } from '../../../shell/live.tsx'
import { ViewLink } from '../../../shell/place.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { toldOf } from '../told.ts'
import { inboxWords } from '../words.ts'
import { outcomeName, type Step, stepsOf } from './steps.ts'

export function SelectedMessage({ id }: { id: string | undefined }) {
  const words = useWords(inboxWords)
  const { may } = useSession()
  return (
    <section className="inbox-section">
      <h3>
        {words.selected}
        {id !== undefined && may('admin') && (
          <ViewLink className="push" to="/trace" search={{ q: id }}>
            {words.fullTrace}
          </ViewLink>
        )}
      </h3>
      {id === undefined ? <p className="muted">{words.selectOne}</p> : <Life key={id} id={id} />}
    </section>
  )
}

function Life({ id }: { id: string }) {
  const words = useWords(inboxWords)
  const queries = useQueryClient()
  const key = ['message', id]
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => get<Message>(`/api/whatsapp/messages/${id}`, {}, signal),
  })
  useLive((event) => {
    const isAboutIt = toldOf(event).message_id === id || event.type === 'stream.reset'
    if (isAboutIt) void queries.invalidateQueries({ queryKey: key })
  })
  if (!data) {
    return error ? (
      <Trouble title={words.messageTrouble} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton lines={4} />
    )
  }
  return (
    <>
      <ol className="inbox-steps">
        {stepsOf(data).map((step) => (
          <StepLine
            key={step.kind === 'attempt' ? `attempt ${step.count}` : step.status}
            step={step}
          />
        ))}
        {data.duplicate_confirmed_at && (
          <StepLine
            step={{
              kind: 'status',
              status: 'duplicate',
              at: data.duplicate_confirmed_at,
              tone: 'warn',
            }}
          />
        )}
      </ol>
      <dl className="inbox-ids">
        <dt>{words.messageId}</dt>
        <dd>
          <Copy text={data.id} />
        </dd>
        {data.wamid !== null && (
          <>
            <dt>{words.metaId}</dt>
            <dd>
              <Copy text={data.wamid} />
            </dd>
          </>
        )}
        {data.client_reference !== null && (
          <>
            <dt>{words.reference}</dt>
            <dd>
              <Copy text={data.client_reference} />
            </dd>
          </>
        )}
      </dl>
    </>
  )
}

function StepLine({ step }: { step: Step }) {
  const words = useWords(inboxWords)
  const says: Record<string, string> = words.steps
  const title =
    step.kind === 'attempt'
      ? words.attempt(step.count, words.outcomes[outcomeName(step.send)])
      : (says[step.status] ?? step.status)
  const more = useAttemptText(step)
  return (
    <li className={step.tone}>
      <span>{title}</span>
      <Time at={step.at} as="seconds" />
      {more && <small>{more}</small>}
    </li>
  )
}

/** `HTTP 503. Code 131016. “Service unavailable” Tried again after 2 s.` */
function useAttemptText(step: Step): string {
  const words = useWords(inboxWords)
  const format = useFormat()
  if (step.kind !== 'attempt') return ''
  const { send, waitMs } = step
  const { status_code: status, started_at, finished_at, provider_code, error_message } = send
  const took = finished_at === null ? undefined : Date.parse(finished_at) - Date.parse(started_at)
  return [
    status !== null &&
      (took === undefined ? words.http(status) : words.httpIn(status, format.latency(took))),
    provider_code !== null && words.code(provider_code),
    error_message !== null && words.quote(error_message),
    waitMs !== undefined && words.triedAgain(format.latency(waitMs)),
  ]
    .filter(Boolean)
    .join(' ')
}
