// Where alerts are told, how each place fares, and whether it answers when it is tested.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { post, remove } from '../../api/call.ts'
import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { ChannelForm } from './channel-form.tsx'
import { type Channel, type Tested, useChannels, useChannelsPath, useReload } from './data.ts'
import { alertWords } from './words.ts'

export function Channels() {
  const words = useWords(alertWords)
  const tenant = useTenant()
  const { data: channels, error, refetch } = useChannels()
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      {words.add}
    </Button>
  )
  return (
    <section className="card">
      <div className="card-head alerts-head">
        <h2>{words.channels}</h2>
        {channels && channels.length > 0 && <span className="push">{add}</span>}
      </div>
      {!channels && !error && <Skeleton />}
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {channels?.length === 0 && (
        <Empty title={words.noChannels} actions={add}>
          {tenant.id === null ? words.noChannelsOfOperator : words.noChannelsText}
        </Empty>
      )}
      {channels && channels.length > 0 && (
        <>
          <ul>
            {channels.map((channel) => (
              <OneChannel key={channel.id} channel={channel} />
            ))}
          </ul>
          <p className="card-body xs muted">{words.channelsText}</p>
        </>
      )}
      {isAdding && <ChannelForm onClose={() => setAdding(false)} />}
    </section>
  )
}

const tones = { working: 'ok', quiet: 'plain', failing: 'bad' } as const

function stateOf({ failing_since, last_success_at }: Channel): keyof typeof tones {
  if (failing_since !== null) return 'failing'
  return last_success_at === null ? 'quiet' : 'working'
}

function OneChannel({ channel }: { channel: Channel }) {
  const words = useWords(alertWords)
  const path = useChannelsPath()
  const reload = useReload()
  const [isDeleting, setDeleting] = useState(false)
  const test = useMutation({
    mutationFn: () => post<Tested>(`${path}/${channel.id}/test`),
    onSuccess: reload,
  })
  const state = stateOf(channel)
  return (
    <li className="alerts-channel">
      <div className="alerts-about">
        <span>
          <b className="strong">{words.kinds[channel.kind]}</b>{' '}
          {channel.description && <span className="soft">{channel.description}</span>}
        </span>
        <span className="mono muted">{channel.target}</span>
      </div>
      <div className="alerts-state xs">
        <State tone={tones[state]}>
          {words.states[state]}
          {state === 'failing' && channel.last_error && ` (${channel.last_error})`}
        </State>
        {channel.last_success_at !== null && (
          <span className="muted">
            {words.lastTold} <Time at={channel.last_success_at} />
          </span>
        )}
        {channel.origin === 'environment' && <span className="muted">{words.fromSettings}</span>}
      </div>
      <div className="row">
        <Button small icon="bolt" busy={test.isPending} onClick={() => test.mutate()}>
          {words.test}
        </Button>
        {channel.origin === 'api' && (
          <Button small look="danger" icon="trash" onClick={() => setDeleting(true)}>
            {words.delete}
          </Button>
        )}
      </div>
      {test.data && <Answered tested={test.data} />}
      {test.error && <Trouble error={test.error} />}
      {isDeleting && <DeleteDialog channel={channel} onClose={() => setDeleting(false)} />}
    </li>
  )
}

function Answered({ tested }: { tested: Tested }) {
  const words = useWords(alertWords)
  const { delivered, status_code: status, error_code: error, answer } = tested
  const what = status === null ? `${words.noAnswer} (${error})` : `HTTP ${status}`
  return (
    <div className={`banner alerts-answer ${delivered ? 'ok' : 'bad'}`} role="status">
      <Icon name={delivered ? 'check' : 'alert'} />
      <p>
        {delivered ? words.delivered(what) : words.notDelivered(what)}
        {answer !== null && (
          <>
            {' '}
            {words.itSaid}: <q>{answer}</q>
          </>
        )}
      </p>
    </div>
  )
}

function DeleteDialog({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const words = useWords(alertWords)
  const { cancel } = useWords(common)
  const path = useChannelsPath()
  const reload = useReload()
  const { say } = useToasts()
  const deleting = useMutation({
    mutationFn: () => remove(`${path}/${channel.id}`),
    onSuccess: () => {
      onClose()
      say(words.deleted)
      reload()
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
      <p>
        <b className="strong">{words.kinds[channel.kind]}</b> {channel.description}{' '}
        <span className="mono muted">{channel.target}</span>
      </p>
      <p>{words.deleteText}</p>
      {deleting.error && <Trouble error={deleting.error} />}
    </Dialog>
  )
}
