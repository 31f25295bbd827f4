// What answers a number's messages by itself: nothing, one reply, the firm's own application, or an echo.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { patch } from '../../api/call.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { useWords } from '../../words/language.tsx'
import { answersWords } from './answers-words.ts'
import { everything, keys } from './data.ts'
import type { Account, EventEndpoint } from './types.ts'

const kinds = ['off', 'auto_reply', 'http', 'echo'] as const
type Kind = (typeof kinds)[number]
const endpointsPath = '/api/whatsapp/event-endpoints'

export function Answers({ account }: { account: Account }) {
  const endpoints = useQuery({
    queryKey: keys.endpoints,
    queryFn: ({ signal }) => everything<EventEndpoint>(endpointsPath, {}, signal),
  })
  if (endpoints.data) {
    const answering = endpoints.data.find((one) => one.responder_for.includes(account.id))
    return (
      <AnswersForm
        // What somebody else chose meanwhile is shown, unless this person is choosing.
        key={`${account.responder} ${answering?.id}`}
        account={account}
        endpoints={endpoints.data}
        answering={answering}
      />
    )
  }
  if (!endpoints.error) return <Skeleton lines={5} />
  return <Trouble error={endpoints.error} onRetry={() => void endpoints.refetch()} />
}

interface AnswersFormProps {
  account: Account
  endpoints: EventEndpoint[]
  answering: EventEndpoint | undefined
}

function AnswersForm({ account, endpoints, answering }: AnswersFormProps) {
  const words = useWords(answersWords)
  const { say } = useToasts()
  const queries = useQueryClient()
  const [kind, setKind] = useState<Kind>(answering ? 'http' : account.responder)
  const [text, setText] = useState(account.auto_reply_text ?? '')
  const [endpointId, setEndpointId] = useState(answering?.id ?? '')
  const [isTried, setTried] = useState(false)
  const wanted = endpoints.find(({ id }) => id === endpointId)
  const isGood = kind === 'http' ? !!wanted : kind !== 'auto_reply' || text.trim() !== ''
  const save = useMutation({
    mutationFn: () => saveAnswers({ account, answering, kind, text, wanted }),
    onSuccess: () => say(words.saved),
    onSettled: () => queries.invalidateQueries({ queryKey: ['accounts'], predicate: isOurs }),
  })
  return (
    <form
      className="form accounts-pad"
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isGood && !save.isPending) save.mutate()
      }}
    >
      <Kinds chosen={kind} onChoose={setKind} />
      {kind === 'auto_reply' && (
        <Field label={words.text} problem={isTried && !isGood ? words.textRequired : undefined}>
          {(tied) => (
            <textarea
              {...tied}
              className="control"
              name="auto_reply_text"
              maxLength={4096}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
      )}
      {kind === 'http' &&
        (endpoints.length === 0 ? (
          <p className="warn">{words.noEndpoints}</p>
        ) : (
          <Field
            label={words.endpoint}
            problem={isTried && !isGood ? words.chooseEndpoint : undefined}
          >
            {(tied) => (
              <select
                {...tied}
                className="control"
                value={endpointId}
                onChange={({ target }) => setEndpointId(target.value)}
              >
                <option value="">{words.chooseEndpoint}</option>
                {endpoints.map(({ id, url, description }) => (
                  <option key={id} value={id}>
                    {description ? `${description} · ${url}` : url}
                  </option>
                ))}
              </select>
            )}
          </Field>
        ))}
      {save.error && <Trouble error={save.error} />}
      <div>
        <Button type="submit" look="primary" busy={save.isPending}>
          {words.change}
        </Button>
      </div>
    </form>
  )
}

/** The doctor is not asked again for this. */
const isOurs = ({ queryKey }: { queryKey: readonly unknown[] }) =>
  queryKey[1] === 'list' || queryKey[1] === 'endpoints'

/** What answered before stops first, so that at no time two answer. */
async function saveAnswers({
  account,
  answering,
  kind,
  text,
  wanted,
}: {
  account: Account
  answering: EventEndpoint | undefined
  kind: Kind
  text: string
  wanted: EventEndpoint | undefined
}): Promise<void> {
  const change = (endpoint: EventEndpoint, responder_for: string[]) =>
    patch(`${endpointsPath}/${endpoint.id}`, { responder_for })
  if (answering && (kind !== 'http' || wanted?.id !== answering.id)) {
    await change(
      answering,
      answering.responder_for.filter((id) => id !== account.id),
    )
  }
  await patch(`/api/whatsapp/accounts/${account.id}`, {
    responder: kind === 'http' ? 'off' : kind,
    ...(kind === 'auto_reply' && { auto_reply_text: text.trim() }),
  })
  if (kind === 'http' && wanted && wanted.id !== answering?.id) {
    await change(wanted, [...wanted.responder_for, account.id])
  }
}

function Kinds({ chosen, onChoose }: { chosen: Kind; onChoose(kind: Kind): void }) {
  const words = useWords(answersWords)
  const name = useId()
  return (
    <fieldset className="accounts-kinds">
      <legend className="strong">{words.responder}</legend>
      {kinds.map((kind) => (
        <label key={kind}>
          <input
            type="radio"
            className="accounts-radio"
            name={name}
            value={kind}
            checked={kind === chosen}
            onChange={() => onChoose(kind)}
          />
          <span>
            <b>{words.kinds[kind]}</b>
            <span className="xs muted">{words.kindTexts[kind]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
