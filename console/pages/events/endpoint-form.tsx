// An endpoint's address, what it hears, and for which numbers it answers.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { patch, post } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { type Endpoint, type EndpointWithSecret, endpointsPath, useAccounts } from './data.ts'
import { formWords } from './form-words.ts'

interface EndpointFormProps {
  /** Undefined: a new one. */
  endpoint?: Endpoint
  onClose(): void
  onMade(endpoint: EndpointWithSecret): void
}

/** Those that can be chosen; tests are heard by all. */
const types = [
  'message.received',
  'message.echoed',
  'message.status',
  'conversation.updated',
  'account.updated',
  'template.updated',
  'dead_letter.created',
  'event_endpoint.disabled',
] as const

export function EndpointForm({ endpoint, onClose, onMade }: EndpointFormProps) {
  const words = useWords(formWords)
  const { cancel } = useWords(common)
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [events, setEvents] = useState<string[]>(endpoint?.events ?? ['*'])
  const [responderFor, setResponderFor] = useState(endpoint?.responder_for ?? [])
  const saving = useMutation({
    mutationFn: () => {
      const body = { url, description, events, responder_for: responderFor }
      return endpoint
        ? patch<EndpointWithSecret>(`${endpointsPath}/${endpoint.id}`, body)
        : post<EndpointWithSecret>(endpointsPath, body)
    },
    onSuccess: onMade,
  })
  const problem = saving.error ? toProblem(saving.error) : undefined
  const urlProblem = problem?.fieldProblem('url')
  return (
    <Dialog
      title={endpoint ? words.editTitle : words.newTitle}
      onClose={onClose}
      onSubmit={() => events.length > 0 && saving.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" busy={saving.isPending}>
            {endpoint ? words.save : words.add}
          </Button>
        </>
      }
    >
      <Field label={words.url} hint={words.urlHint} problem={urlProblem}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            data-autofocus
            type="url"
            name="url"
            placeholder="https://app.example/events"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.description}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="description"
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      <EventChoice events={events} onChoose={setEvents} />
      <ResponderChoice chosen={responderFor} onChoose={setResponderFor} />
      {problem && urlProblem === undefined && <Trouble error={problem} />}
    </Dialog>
  )
}

function EventChoice({ events, onChoose }: { events: string[]; onChoose(events: string[]): void }) {
  const words = useWords(formWords)
  const isAll = events.includes('*')
  return (
    <fieldset className="events-choices">
      <legend className="label">{words.events}</legend>
      <label className="row">
        <input
          type="checkbox"
          className="check"
          name="all-events"
          checked={isAll}
          onChange={(event) => onChoose(event.target.checked ? ['*'] : [...types])}
        />
        {words.all}
      </label>
      {!isAll &&
        types.map((type) => (
          <label key={type} className="row events-type">
            <input
              type="checkbox"
              className="check"
              name={type}
              checked={events.includes(type)}
              onChange={(event) =>
                onChoose(
                  event.target.checked ? [...events, type] : events.filter((one) => one !== type),
                )
              }
            />
            <span>
              {words.types[type]} <span className="mono muted">{type}</span>
            </span>
          </label>
        ))}
      {events.length === 0 && (
        <p className="hint bad" role="alert">
          {words.choose}
        </p>
      )}
    </fieldset>
  )
}

function ResponderChoice({
  chosen,
  onChoose,
}: {
  chosen: string[]
  onChoose(ids: string[]): void
}) {
  const words = useWords(formWords)
  const { data: accounts = [] } = useAccounts()
  if (accounts.length === 0) return null
  return (
    <fieldset className="events-choices">
      <legend className="label">{words.responder}</legend>
      {accounts.map(({ id, display_phone_number }) => (
        <label key={id} className="row">
          <input
            type="checkbox"
            className="check"
            checked={chosen.includes(id)}
            onChange={(event) =>
              onChoose(event.target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
            }
          />
          {display_phone_number}
        </label>
      ))}
      <p className="hint">{words.responderHint}</p>
    </fieldset>
  )
}
