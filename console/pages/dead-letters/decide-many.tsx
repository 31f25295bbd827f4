// A decision on many letters: counted before anything is done, then done in parts, with what was left and why.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { decideWords } from './decide-words.ts'
import { type Counts, useLettersPath, type Verb } from './letters.ts'
import { type Outcome, outcomesOf } from './outcomes.ts'
import { ReasonField, useReason } from './reason-field.tsx'
import { reasonWords } from './reason-words.ts'
import { dryRun, type Target, useBulk } from './use-bulk.ts'

interface DecideManyProps {
  verb: Verb
  target: Target
  /** By what they died of, as far as the page knows. */
  groups: Counts['groups']
  onClose(): void
  /** Something was decided: the selection is over. */
  onDone(): void
}

const rates = [1, 5, 20, 80]
const usualRate = 20

export function DecideMany({ verb, target, groups, onClose, onDone }: DecideManyProps) {
  const words = useWords(decideWords)
  const { cancel, close } = useWords(common)
  const format = useFormat()
  const path = useLettersPath()
  const queries = useQueryClient()
  const reason = useReason()
  const [rate, setRate] = useState(usualRate)
  const bulk = useBulk(path, verb, target)
  const dry = useQuery({
    queryKey: ['letters', 'dry-run', verb, target],
    queryFn: () => dryRun(path, verb, target),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
  const able = dry.data?.remaining ?? 0
  const isStarted = bulk.state !== 'ready'
  const isOver = bulk.state === 'over'
  const leave = () => {
    if (bulk.done > 0) {
      void queries.invalidateQueries({ queryKey: ['letters'] })
      onDone()
    }
    onClose()
  }
  const start = () => {
    const said = reason.take()
    if (said !== undefined && able > 0) void bulk.run(said, able, rate)
  }
  return (
    <Dialog
      title={words.many[verb](format.number(dry.data?.matched ?? target.ids?.length ?? 0))}
      onClose={leave}
      isFixed={bulk.state === 'running'}
      onSubmit={start}
      foot={
        isOver ? (
          <Button look="primary" onClick={leave}>
            {close}
          </Button>
        ) : isStarted ? (
          <Button onClick={bulk.stop}>{words.stop}</Button>
        ) : (
          <>
            <Button onClick={leave}>{cancel}</Button>
            <Button look="primary" type="submit" disabled={able === 0}>
              {words.press[verb](format.number(able))}
            </Button>
          </>
        )
      }
    >
      {isStarted ? (
        <Going verb={verb} bulk={bulk} />
      ) : (
        <>
          <p aria-live="polite">
            {dry.data ? (able > 0 ? words.checked : words.nothingToDo) : words.checking}
          </p>
          {dry.error ? (
            <Trouble error={dry.error} onRetry={() => void dry.refetch()} />
          ) : dry.data ? (
            <Outcomes outcomes={outcomesOf(verb, dry.data, groups)} />
          ) : (
            <Skeleton lines={2} />
          )}
          <ReasonField reason={reason} hint={words.oneForAll} />
          {verb === 'requeue' && able > 1 && (
            <label className="row">
              <span className="label letters-rate">{words.rate}</span>
              <select
                className="control"
                value={rate}
                onChange={(event) => setRate(Number(event.target.value))}
              >
                {rates.map((one) => (
                  <option key={one} value={one}>
                    {words.rates(format.number(one))}
                  </option>
                ))}
              </select>
            </label>
          )}
        </>
      )}
    </Dialog>
  )
}

function Outcomes({ outcomes }: { outcomes: Outcome[] }) {
  const words = useWords(decideWords)
  const titles = useWords(reasonWords)
  const format = useFormat()
  if (outcomes.length === 0) return null
  return (
    <ul className="letters-sum">
      {outcomes.map(({ count, what, reasons = [], tone }) => (
        <li key={what} data-outcome={what}>
          <b className={`num ${tone}`}>{format.number(count)}</b>
          <span>
            {what === 'again'
              ? words.out.again(
                  reasons
                    .map((one) => `${titles[one.reason].title} ${format.number(one.count)}`)
                    .join(', '),
                )
              : words.out[what]}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Going({ verb, bulk }: { verb: Verb; bulk: ReturnType<typeof useBulk> }) {
  const words = useWords(decideWords)
  const format = useFormat()
  const { done, all, left, problem, state } = bulk
  return (
    <>
      <progress
        className="letters-progress"
        max={all}
        value={done}
        aria-label={words.many[verb]('')}
      />
      <p role="status">
        {state === 'running'
          ? words.progress(format.number(done), format.number(all))
          : words.result[verb](format.number(done))}{' '}
        {bulk.isStopped && state === 'over' && words.stopped}
      </p>
      {problem !== undefined && (
        <Trouble error={problem} title={words.failed} onRetry={bulk.goOn} />
      )}
      {state === 'over' && left.length > 0 && (
        <>
          <p>{words.notDone(format.number(left.reduce((sum, { count }) => sum + count, 0)))}</p>
          <Outcomes outcomes={left} />
        </>
      )}
    </>
  )
}
