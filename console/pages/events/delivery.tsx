// One delivery: every attempt with its answer, and the body that is posted.
import { useMutation } from '@tanstack/react-query'
import { post } from '../../api/call.ts'
import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Copy, CopyButton } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import {
  type Endpoint,
  endpointsPath,
  type InspectedDelivery,
  useDelivery,
  useReload,
} from './data.ts'
import { formWords } from './form-words.ts'
import { deliveryTones, whyNot } from './model.ts'
import { eventWords } from './words.ts'

interface DeliveryDialogProps {
  endpoint: Endpoint
  eventId: string
  onClose(): void
}

export function DeliveryDialog({ endpoint, eventId, onClose }: DeliveryDialogProps) {
  const words = useWords(eventWords)
  const types: Record<string, string> = useWords(formWords).types
  const { data, error, refetch } = useDelivery(endpoint.id, eventId)
  return (
    <Dialog
      wide
      title={types[data?.event_type ?? ''] ?? data?.event_type ?? words.event}
      onClose={onClose}
      foot={data && <Again endpoint={endpoint} delivery={data} />}
    >
      {data ? (
        <Inside delivery={data} />
      ) : error ? (
        <Trouble error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton />
      )}
    </Dialog>
  )
}

function Inside({ delivery }: { delivery: InspectedDelivery }) {
  const words = useWords(eventWords)
  const body = delivery.event && JSON.stringify(delivery.event, null, 2)
  return (
    <>
      <div className="row wrap">
        <State tone={deliveryTones[delivery.status]}>{words.statuses[delivery.status]}</State>
        {delivery.next_attempt_at !== null && delivery.attempts > 0 && (
          <span className="soft">
            {words.nextTry} <Time at={delivery.next_attempt_at} as="until" />
          </span>
        )}
        <span className="push xs muted">
          <Copy text={delivery.event_id} />
        </span>
      </div>
      <Attempts attempts={delivery.attempt_log} />
      <div>
        <div className="row">
          <h3>{words.body}</h3>
          {body && (
            <span className="push">
              <CopyButton text={body} />
            </span>
          )}
        </div>
        {body ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it can be scrolled without a mouse.
          <pre className="events-body" tabIndex={0}>
            {body}
          </pre>
        ) : (
          <p className="soft">{words.gone}</p>
        )}
      </div>
    </>
  )
}

function Attempts({ attempts }: { attempts: InspectedDelivery['attempt_log'] }) {
  const words = useWords(eventWords)
  const format = useFormat()
  return (
    <div>
      <h3>{words.attempts}</h3>
      {attempts.length === 0 && <p className="soft">{words.noAttempts}</p>}
      <ol className="events-attempts">
        {attempts.map((attempt, index) => {
          const isTaken = attempt.finished_at !== null && attempt.error_code === null
          return (
            <li key={attempt.started_at}>
              <State tone={isTaken ? 'ok' : attempt.finished_at === null ? 'plain' : 'bad'}>
                {words.attempt(format.number(index + 1))}
              </State>
              <span>
                {attempt.finished_at === null
                  ? words.statuses.running
                  : whyNot(attempt.status_code, attempt.error_code, words.noAnswer)}
              </span>
              {attempt.duration_ms !== null && (
                <span className="muted num">{format.latency(attempt.duration_ms)}</span>
              )}
              <span className="push muted xs">
                <Time at={attempt.started_at} as="seconds" />
              </span>
              {attempt.answer !== null && (
                <q className="events-answer" dir="auto">
                  {attempt.answer}
                </q>
              )}
            </li>
          )
        })}
      </ol>
    </div>
  )
}

function Again({ endpoint, delivery }: { endpoint: Endpoint; delivery: InspectedDelivery }) {
  const words = useWords(eventWords)
  const { say, complain } = useToasts()
  const reload = useReload()
  const replay = useMutation({
    mutationFn: () =>
      post(`${endpointsPath}/${endpoint.id}/replay`, { event_ids: [delivery.event_id] }),
    onSuccess: () => {
      say(words.againDone)
      reload()
    },
    onError: complain,
  })
  const isOver = delivery.status === 'done' || delivery.status === 'failed'
  if (!isOver || delivery.event === null) return null
  return (
    <Button icon="again" busy={replay.isPending} onClick={() => replay.mutate()}>
      {words.again}
    </Button>
  )
}
