// What happened to a letter until now: tries, deaths and decisions in the order of time, and the ids to ask with.
import { Copy } from '../../parts/copy.tsx'
import { type Step, Steps } from '../../parts/steps.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { useAttemptStep } from '../trace/attempt.tsx'
import { stepWords } from '../trace/step-words.ts'
import { useActorName } from './actors.ts'
import type { Inspection } from './letters.ts'
import { letterWords } from './words.ts'

export function History({ letter }: { letter: Inspection }) {
  const words = useWords(letterWords)
  const steps = useStepsOf(letter)
  const last = letter.outbound?.attempts.findLast((one) => one.fbtrace_id !== null)
  const ids: [string, string | null | undefined][] = [
    [words.ids.code, codesOf(letter)],
    [words.ids.meta, last?.fbtrace_id],
    [words.ids.message, letter.message_id],
    [words.ids.letter, letter.id],
    [words.ids.trace, letter.correlation_id?.replaceAll('-', '')],
    [words.ids.number, letter.phone_number_id],
    [words.ids.place, letter.item_path],
  ]
  return (
    <>
      <section className="letters-part">
        <Steps label={words.happened} steps={steps} />
      </section>
      <section className="letters-part">
        <dl className="letters-ids">
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
      </section>
    </>
  )
}

function codesOf({ error_code, provider_code }: Inspection): string {
  return provider_code === null ? error_code : `${error_code} ${provider_code}`
}

function useStepsOf({ event, outbound, errors }: Inspection): Step[] {
  const words = useWords(stepWords)
  const format = useFormat()
  const nameOf = useActorName()
  const attemptStep = useAttemptStep()
  const tries = (outbound?.attempts ?? []).map((attempt, at) =>
    attemptStep({ ...attempt, ended_at: attempt.finished_at, said: attempt.error_message }, at + 1),
  )
  const webhook: Step[] = event
    ? [{ key: 'received', tone: 'done', title: words.webhookReceived, at: event.received_at }]
    : []
  const deaths = errors.flatMap((one): Step[] => [
    {
      key: one.dead_letter_id,
      tone: 'bad',
      title: words.movedToLetters,
      at: one.at,
      children: (
        <>
          <span className="mono">{one.code}</span>
          {event && (
            <>
              {' '}
              · {words.webhookTries(format.number(event.attempts))}
              <q className="quote">{one.message}</q>
            </>
          )}
        </>
      ),
    },
    ...(one.decided_at
      ? [
          {
            key: `${one.dead_letter_id} decided`,
            tone: 'done' as const,
            title: words.by(words.decisions[one.state], nameOf(one.decided_by)),
            at: one.decided_at,
            children: one.decision_reason && <q className="quote">{one.decision_reason}</q>,
          },
        ]
      : []),
  ])
  return [...webhook, ...tries, ...deaths].toSorted(
    (one, other) => new Date(one.at ?? 0).getTime() - new Date(other.at ?? 0).getTime(),
  )
}

export function Trail({ trail }: { trail: Inspection['trail'] }) {
  const words = useWords(letterWords)
  const nameOf = useActorName()
  const format = useFormat()
  const acts: Record<string, string> = words.trail
  return (
    <section className="letters-part">
      <Steps
        label={words.audit}
        steps={trail.map(({ at, actor, action, reason }, index) => {
          const [, act = ''] = action.split('.')
          const did = Object.hasOwn(acts, act) ? acts[act] : action
          return {
            key: `${at} ${index}`,
            tone: act === 'inspected' ? undefined : 'done',
            title: (
              <>
                <b className="strong">{nameOf(actor)}</b> {did}
              </>
            ),
            at,
            after: format.short(at, Date.now()),
            children: reason && <q className="quote">{reason}</q>,
          }
        })}
      />
    </section>
  )
}
