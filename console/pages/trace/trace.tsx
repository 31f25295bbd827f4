// One message's steps, with the time between them, its ids, and the ways on from here.
import { Copy } from '../../parts/copy.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { type Step, Steps } from '../../parts/steps.tsx'
import { useNow } from '../../parts/time.tsx'
import { ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { useActorName } from '../dead-letters/actors.ts'
import { isType, typeWords } from '../dead-letters/type-words.ts'
import { useAttemptStep } from './attempt.tsx'
import { stepWords } from './step-words.ts'
import { type Trace, type Traced, useTrace } from './traces.ts'
import { StatusBadge, whoOf } from './who.tsx'
import { traceWords } from './words.ts'

export function TraceOf({ messageId }: { messageId: string }) {
  const words = useWords(traceWords)
  const types = useWords(typeWords)
  const { data, error, refetch } = useTrace(messageId)
  const steps = useStepsOf(data)
  if (error && !data) return <Trouble error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={8} />
  const { message } = data
  return (
    <div className="trace-one">
      <section className="card">
        <div className="card-head">
          <h2 className="cut">{whoOf(message, words)}</h2>
          <span className="soft">{isType(message.type) ? types[message.type] : message.type}</span>
          <span className="push" />
          <StatusBadge status={message.status} />
        </div>
        <div className="card-body">
          <Steps label={words.steps} steps={steps} />
        </div>
      </section>
      <Aside message={message} traceId={data.trace_id} />
    </div>
  )
}

function Aside({ message, traceId }: { message: Traced; traceId: string }) {
  const words = useWords(traceWords)
  const search = { tenant: message.tenant_id }
  const ids: [string, string | null][] = [
    [words.ids.message, message.message_id],
    [words.ids.wamid, message.wamid],
    [words.ids.reference, message.client_reference],
    [words.ids.trace, traceId],
    [words.ids.number, message.phone_number_id],
  ]
  return (
    <section className="card card-body trace-aside">
      <dl className="trace-ids">
        {ids.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <Copy text={value} />
                </dd>
              </div>
            ),
        )}
      </dl>
      {message.conversation_id && (
        <ViewLink to={`/inbox/${message.conversation_id}`} search={search}>
          <Icon name="inbox" size={14} /> {words.conversation}
        </ViewLink>
      )}
    </section>
  )
}

type TraceStep = Trace['steps'][number]

/** Less than this between two steps says nothing. */
const shortestGapMs = 1

function useStepsOf(trace: Trace | undefined): Step[] {
  const words = useWords(stepWords)
  const { after } = useWords(traceWords)
  const format = useFormat()
  const now = useNow()
  const say = useStepWords(trace?.message)
  if (!trace) return []
  const tries = new Map<string, number>()
  let before: number | undefined
  const steps = trace.steps.map((step, index): Step => {
    const of = step.message_id ?? ''
    if (step.step === 'attempt') tries.set(of, (tries.get(of) ?? 0) + 1)
    const at = new Date(step.at).getTime()
    const gap = before === undefined ? 0 : at - before
    before = step.ended_at ? new Date(step.ended_at).getTime() : at
    return {
      ...say(step, tries.get(of) ?? 0),
      key: `${index} ${step.at}`,
      after: gap >= shortestGapMs ? after(format.latency(gap)) : undefined,
    }
  })
  if (!trace.waiting) return steps
  const { until, code } = trace.waiting
  const title = until ? words.waits(format.until(until, now)) : words.waitsForAccount
  return [
    ...steps,
    { key: 'waiting', tone: 'warn', title, children: code && <span className="mono">{code}</span> },
  ]
}

function useStepWords(message: Traced | undefined) {
  const words = useWords(stepWords)
  const format = useFormat()
  const nameOf = useActorName()
  const attemptStep = useAttemptStep()
  const tenant = { tenant: message?.tenant_id }
  const statuses: Record<string, string> = words.statuses
  const related = (step: TraceStep, name: string) =>
    step.message_id && step.message_id !== message?.message_id ? (
      <ViewLink to="/trace" search={{ ...tenant, q: step.message_id }}>
        {name}
      </ViewLink>
    ) : undefined
  const said: Record<TraceStep['step'], (step: TraceStep, tries: number) => Omit<Step, 'key'>> = {
    webhook_received: () => ({ tone: 'done', title: words.webhookReceived }),
    webhook_processed: ({ attempts = 1 }) => ({
      tone: 'done',
      title: words.webhookProcessed,
      children: attempts > 1 && words.webhookTries(format.number(attempts)),
    }),
    message_received: (step) => ({
      tone: 'done',
      title: words.messageReceived,
      children: related(step, words.answerTo),
    }),
    message_queued: (step) => ({
      tone: 'done',
      title: message?.direction === 'inbound' ? words.replyQueued : words.messageQueued,
      children: related(step, words.itsReply),
    }),
    queued_again: () => ({ tone: 'done', title: words.queuedAgain }),
    attempt: (step, tries) =>
      attemptStep(
        {
          started_at: step.at,
          ended_at: step.ended_at ?? null,
          outcome: step.outcome ?? null,
          status_code: step.status_code ?? null,
          provider_code: step.provider_code ?? null,
          said: step.said ?? null,
        },
        tries,
      ),
    status: ({ status = '', happened_at }) => ({
      tone: status === 'failed' ? 'bad' : 'ok',
      title: statuses[status] ?? words.status(status),
      children: happened_at && words.byMeta(format.timeWithSeconds(happened_at)),
    }),
    cancelled: () => ({ title: words.cancelled }),
    dead_letter: ({ dead_letter_id, code }) => ({
      tone: 'bad',
      title: words.movedToLetters,
      children: (
        <>
          <span className="mono">{code}</span> ·{' '}
          <ViewLink to={`/dead-letters/${dead_letter_id}`} search={tenant}>
            {words.seeLetter}
          </ViewLink>
        </>
      ),
    }),
    decided: ({ status, by, reason }) => ({
      tone: 'done',
      title: words.by(words.decisions[status as keyof typeof words.decisions] ?? '', nameOf(by)),
      children: reason && <q className="quote">{reason}</q>,
    }),
    told: (step) => toldStep(step, words, tenant),
  }
  return (step: TraceStep, tries: number): Omit<Step, 'key'> => ({
    ...said[step.step](step, tries),
    at: step.at,
  })
}

function toldStep(
  step: TraceStep,
  words: (typeof stepWords)['en'],
  tenant: { tenant: string | undefined },
): Omit<Step, 'key'> {
  const { status_code, code, event_type = '', endpoint_url, endpoint_id } = step
  const isTaken = code === null && status_code !== null && status_code !== undefined
  return {
    tone: isTaken ? 'ok' : 'warn',
    title: (isTaken ? words.told : words.notTold)(event_type),
    children: (
      <>
        {endpoint_url && <span className="mono">{endpoint_url}</span>}{' '}
        {[status_code ? `HTTP ${status_code}` : undefined, code].filter(Boolean).join(', ')}
        {' · '}
        <ViewLink to={`/events/${endpoint_id}`} search={tenant}>
          {words.seeEndpoint}
        </ViewLink>
      </>
    ),
  }
}
