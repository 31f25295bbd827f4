// Event endpoints: where the tenant's application is told what happens, and how that fares.
import { useState } from 'react'
import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Split } from '../../parts/split.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { Chosen } from './chosen.tsx'
import { type Endpoint, type EndpointWithSecret, useEndpoints, useReload } from './data.ts'
import { EndpointForm } from './endpoint-form.tsx'
import { stateOf, stateTones, withoutScheme } from './model.ts'
import { SecretDialog } from './secret.tsx'
import { eventWords } from './words.ts'
import './events.css'

export function Page() {
  const words = useWords(eventWords)
  const { params, go } = usePlace()
  const { data: endpoints, error, refetch } = useEndpoints()
  const reload = useReload()
  const [isAdding, setAdding] = useState(false)
  const [made, setMade] = useState<EndpointWithSecret>()
  if (!endpoints) {
    return error ? <Trouble error={error} onRetry={() => void refetch()} /> : <Skeleton lines={6} />
  }
  const chosen = endpoints.find(({ id }) => id === params.id)
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {words.create}
    </Button>
  )
  return (
    <Split wideInspector inspector={chosen && <Chosen key={chosen.id} endpoint={chosen} />}>
      <div className="list-head">
        <h1>{words.title}</h1>
        {!chosen && <p className="soft">{words.about}</p>}
        {endpoints.length > 0 && <div className="page-actions">{add}</div>}
      </div>
      {endpoints.length === 0 ? (
        <Empty title={words.none} actions={add}>
          {words.noneText}
        </Empty>
      ) : (
        <ul className="events-list">
          {endpoints.map((endpoint) => (
            <Row key={endpoint.id} endpoint={endpoint} isChosen={endpoint === chosen} />
          ))}
        </ul>
      )}
      {isAdding && (
        <EndpointForm
          onClose={() => setAdding(false)}
          onMade={(endpoint) => {
            setAdding(false)
            setMade(endpoint)
            reload()
          }}
        />
      )}
      {made && (
        <SecretDialog
          secret={made.secret}
          onClose={() => {
            setMade(undefined)
            go(`/events/${made.id}`)
          }}
        />
      )}
    </Split>
  )
}

function Row({ endpoint, isChosen }: { endpoint: Endpoint; isChosen: boolean }) {
  const words = useWords(eventWords)
  const { number } = useFormat()
  const state = stateOf(endpoint)
  return (
    <li>
      <ViewLink
        className="events-row"
        to={`/events/${endpoint.id}`}
        aria-current={isChosen ? 'true' : undefined}
      >
        <b className="strong cut" title={endpoint.url}>
          {withoutScheme(endpoint.url)}
        </b>
        {endpoint.description && <span className="soft cut">{endpoint.description}</span>}
        <span className="row wrap xs">
          <State tone={stateTones[state]}>{words.states[state]}</State>
          {endpoint.pending_count > 0 && (
            <span className="muted">{words.waiting(number(endpoint.pending_count))}</span>
          )}
          <span className="muted push">
            {words.lastTaken}{' '}
            {endpoint.last_success_at ? <Time at={endpoint.last_success_at} /> : words.never}
          </span>
        </span>
      </ViewLink>
    </li>
  )
}
