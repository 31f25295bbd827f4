// Adding a channel: its kind, and the one thing that each kind needs. A webhook's secret is shown once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import { Field, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { type Channel, type ChannelWithSecret, useChannelsPath, useReload } from './data.ts'
import { alertWords } from './words.ts'

const kinds = ['slack', 'pagerduty', 'webhook'] as const satisfies Channel['kind'][]

export function ChannelForm({ onClose }: { onClose(): void }) {
  const words = useWords(alertWords)
  const { cancel } = useWords(common)
  const path = useChannelsPath()
  const reload = useReload()
  const { say } = useToasts()
  const [kind, setKind] = useState<Channel['kind']>('slack')
  const [target, setTarget] = useState('')
  const [description, setDescription] = useState('')
  const adding = useMutation({
    mutationFn: () => post<ChannelWithSecret>(path, { kind, target, description }),
    onSuccess: ({ secret }) => {
      reload()
      say(words.added)
      if (secret === null) onClose()
    },
  })
  const secret = adding.data?.secret
  if (secret) return <SecretOfChannel secret={secret} onClose={onClose} />
  const problem = adding.error ? toProblem(adding.error) : undefined
  const targetProblem = problem?.fieldProblem('target')
  return (
    <Dialog
      title={words.addTitle}
      onClose={onClose}
      onSubmit={() => adding.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" busy={adding.isPending}>
            {words.add}
          </Button>
        </>
      }
    >
      <div>
        <span className="label">{words.kind}</span>
        <Segments<Channel['kind']>
          label={words.kind}
          choices={kinds.map((value) => ({ value, label: words.kinds[value] }))}
          chosen={kind}
          onChoose={(chosen) => {
            setKind(chosen)
            adding.reset()
          }}
        />
      </div>
      <Field
        label={words.targets[kind]}
        hint={`${words.targetHints[kind]} ${words.kept}`}
        problem={targetProblem}
      >
        {(tied) => (
          <input
            {...tied}
            className="control"
            data-autofocus
            name="target"
            autoComplete="off"
            spellCheck={false}
            value={target}
            onChange={(event) => setTarget(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.description}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="description"
            maxLength={200}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      {problem && targetProblem === undefined && <Trouble error={problem} />}
    </Dialog>
  )
}

function SecretOfChannel({ secret, onClose }: { secret: string; onClose(): void }) {
  const words = useWords(alertWords)
  return (
    <Dialog
      isFixed
      title={words.secretTitle}
      onClose={onClose}
      foot={
        <Button look="primary" onClick={onClose}>
          {words.done}
        </Button>
      }
    >
      <p>{words.secretText}</p>
      <Secret text={secret} />
    </Dialog>
  )
}
