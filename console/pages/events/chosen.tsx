// The chosen endpoint: how it fares, what to do about it, and everything that was delivered to it.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { patch, post, remove } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Inspector } from '../../parts/split.tsx'
import { Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { usePlace } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Endpoint, endpointsPath, useAccounts, useDelivery, useReload } from './data.ts'
import { Deliveries } from './deliveries.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { formWords } from './form-words.ts'
import { stateOf, whyNot, withoutScheme } from './model.ts'
import { ReplayDialog } from './replay.tsx'
import { RotateDialog } from './secret.tsx'
import { eventWords } from './words.ts'

type Asking = 'edit' | 'rotate' | 'replay' | 'delete'

export function Chosen({ endpoint }: { endpoint: Endpoint }) {
  const { go } = usePlace()
  const reload = useReload()
  const [asking, setAsking] = useState<Asking>()
  const test = useMutation({
    mutationFn: () => post<{ event_id: string }>(`${endpointsPath}/${endpoint.id}/test`),
    onSuccess: reload,
  })
  const end = () => {
    setAsking(undefined)
    reload()
  }
  return (
    <Inspector
      title={withoutScheme(endpoint.url)}
      about={endpoint.description || undefined}
      actions={
        <Actions
          endpoint={endpoint}
          onAsk={setAsking}
          onTest={() => test.mutate()}
          isTesting={test.isPending}
        />
      }
      onClose={() => go('/events')}
    >
      <Standing endpoint={endpoint} />
      {test.error && <Trouble error={test.error} />}
      {test.data && <Tested endpoint={endpoint} eventId={test.data.event_id} />}
      <Facts endpoint={endpoint} />
      <Deliveries endpoint={endpoint} />
      {asking === 'edit' && <EndpointForm endpoint={endpoint} onClose={end} onMade={end} />}
      {asking === 'rotate' && <RotateDialog endpoint={endpoint} onClose={end} />}
      {asking === 'replay' && <ReplayDialog endpoint={endpoint} onClose={end} />}
      {asking === 'delete' && <DeleteDialog endpoint={endpoint} onClose={end} />}
    </Inspector>
  )
}

function useStatus({ id }: Endpoint) {
  const words = useWords(eventWords)
  const { say, complain } = useToasts()
  const reload = useReload()
  return useMutation({
    mutationFn: (status: 'active' | 'paused') =>
      patch<Endpoint>(`${endpointsPath}/${id}`, { status }),
    onSuccess: ({ status }) => {
      say(status === 'active' ? words.resumed : words.paused)
      reload()
    },
    onError: complain,
  })
}

interface ActionsProps {
  endpoint: Endpoint
  onAsk(asking: Asking): void
  onTest(): void
  isTesting: boolean
}

function Actions({ endpoint, onAsk, onTest, isTesting }: ActionsProps) {
  const words = useWords(eventWords)
  const status = useStatus(endpoint)
  const isActive = endpoint.status === 'active'
  return (
    <>
      {isActive && (
        <Button icon="bolt" busy={isTesting} onClick={onTest}>
          {words.test}
        </Button>
      )}
      <Menu
        label={words.actions}
        button={(press) => (
          <button type="button" className="btn square" aria-label={words.actions} {...press}>
            <Icon name="more" />
          </button>
        )}
      >
        {(close) => {
          const item = (label: string, act: () => void, className = '') => (
            <MenuItem
              className={className}
              onClick={() => {
                close()
                act()
              }}
            >
              {label}
            </MenuItem>
          )
          return (
            <>
              {item(words.edit, () => onAsk('edit'))}
              {item(words.rotate, () => onAsk('rotate'))}
              {item(words.replay, () => onAsk('replay'))}
              {isActive
                ? item(words.pause, () => status.mutate('paused'))
                : item(words.resume, () => status.mutate('active'))}
              <hr />
              {item(words.delete, () => onAsk('delete'), 'danger')}
            </>
          )
        }}
      </Menu>
    </>
  )
}

/** What stopped, what still works, and the button that mends it. */
function Standing({ endpoint }: { endpoint: Endpoint }) {
  const words = useWords(eventWords)
  const format = useFormat()
  const status = useStatus(endpoint)
  const state = stateOf(endpoint)
  const resume = (
    <Button icon="play" busy={status.isPending} onClick={() => status.mutate('active')}>
      {words.resume}
    </Button>
  )
  if (state === 'disabled') {
    return (
      <div className="banner bad">
        <Icon name="alert" />
        <p>
          <b className="strong">{words.disabledTitle}.</b>{' '}
          {words.disabledTexts[endpoint.disabled_reason ?? 'FAILING']}
        </p>
        {resume}
      </div>
    )
  }
  if (state === 'paused') {
    return (
      <div className="banner info">
        <Icon name="pause" />
        <p>
          <b className="strong">{words.pausedTitle}.</b> {words.pausedText}
        </p>
        {resume}
      </div>
    )
  }
  if (state === 'failing' && endpoint.failing_since) {
    return (
      <div className="banner">
        <Icon name="warn" />
        <p>
          <b className="strong">{words.failingTitle}.</b>{' '}
          {words.failingText(format.short(endpoint.failing_since, Date.now()))}
        </p>
      </div>
    )
  }
  return null
}

/** Follows the test event until it is known what became of it. */
function Tested({ endpoint, eventId }: { endpoint: Endpoint; eventId: string }) {
  const words = useWords(eventWords)
  const format = useFormat()
  const { ask } = usePlace()
  const { data: delivery } = useDelivery(endpoint.id, eventId)
  const isTaken = delivery?.status === 'done'
  const isRefused = !isTaken && (delivery?.attempts ?? 0) > 0
  const tone = isTaken ? 'ok' : isRefused ? 'bad' : 'info'
  return (
    <div className={`banner ${tone}`} role="status">
      <Icon name={isTaken ? 'check' : isRefused ? 'alert' : 'clock'} />
      <p>
        {isTaken
          ? words.tested(String(delivery.status_code), format.latency(delivery.duration_ms ?? 0))
          : isRefused && delivery
            ? words.notTaken(whyNot(delivery.status_code, delivery.last_error, words.noAnswer))
            : words.testing}
      </p>
      {delivery && (
        <Button small onClick={() => ask({ event: eventId }, { replace: false })}>
          {words.seeDelivery}
        </Button>
      )}
    </div>
  )
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const words = useWords(eventWords)
  const { types } = useWords(formWords)
  const format = useFormat()
  const { data: accounts = [] } = useAccounts()
  const known: Record<string, string> = types
  const numbers = endpoint.responder_for.map(
    (id) => accounts.find((one) => one.id === id)?.display_phone_number ?? id,
  )
  const until = endpoint.old_secret_until
  return (
    <dl className="facts">
      <dt>{words.url}</dt>
      <dd>{endpoint.url}</dd>
      <dt>{words.hears}</dt>
      <dd>
        {endpoint.events.includes('*')
          ? words.everything
          : endpoint.events.map((type) => known[type] ?? type).join(' · ')}
      </dd>
      {numbers.length > 0 && (
        <>
          <dt>{words.answersFor}</dt>
          <dd>{numbers.join(', ')}</dd>
        </>
      )}
      <dt>{words.lastTaken}</dt>
      <dd>{endpoint.last_success_at ? <Time at={endpoint.last_success_at} /> : words.never}</dd>
      {until !== null && new Date(until) > new Date() && (
        <>
          <dt>
            <Icon name="key" />
          </dt>
          <dd>{words.rotating(`${format.short(until, Date.now())} ${format.time(until)}`)}</dd>
        </>
      )}
    </dl>
  )
}

function DeleteDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const words = useWords(eventWords)
  const { cancel } = useWords(common)
  const { number } = useFormat()
  const { go } = usePlace()
  const { say } = useToasts()
  const deleting = useMutation({
    mutationFn: () => remove(`${endpointsPath}/${endpoint.id}`),
    onSuccess: () => {
      say(words.deleted)
      go('/events', {}, { replace: true })
      onClose()
    },
  })
  return (
    <Dialog
      title={words.deleteTitle}
      onClose={onClose}
      onSubmit={() => deleting.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="danger" type="submit" busy={deleting.isPending}>
            {words.deleteButton}
          </Button>
        </>
      }
    >
      <p className="mono">{endpoint.url}</p>
      <p>{words.deleteText(number(endpoint.pending_count))}</p>
      {deleting.error && <Trouble error={deleting.error} />}
    </Dialog>
  )
}
