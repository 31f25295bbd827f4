// An endpoint's secret, shown once; and a new one, beside which the old one signs for a while.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Trouble } from '../../parts/states.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { type Endpoint, type EndpointWithSecret, endpointsPath } from './data.ts'
import { formWords } from './form-words.ts'

export function SecretDialog({ secret, onClose }: { secret: string; onClose(): void }) {
  const words = useWords(formWords)
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
      <p className="soft">{words.verify}</p>
      <div className="row wrap">
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer">
          {words.libraries} <Icon name="external" size={14} />
        </a>
        <a href="/docs" target="_blank" rel="noreferrer">
          {words.apiDocs} <Icon name="external" size={14} />
        </a>
      </div>
    </Dialog>
  )
}

const overlaps = ['0', '24', '72', '168'] as const

export function RotateDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const words = useWords(formWords)
  const { cancel } = useWords(common)
  const [hours, setHours] = useState<string>('24')
  const rotating = useMutation({
    mutationFn: () =>
      call<EndpointWithSecret>('POST', `${endpointsPath}/${endpoint.id}/rotate-secret`, {
        query: { overlap_hours: hours },
      }),
  })
  if (rotating.data) return <SecretDialog secret={rotating.data.secret} onClose={onClose} />
  return (
    <Dialog
      title={words.rotateTitle}
      onClose={onClose}
      onSubmit={() => rotating.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="primary" type="submit" busy={rotating.isPending}>
            {words.rotate}
          </Button>
        </>
      }
    >
      <p>{words.rotateText}</p>
      <Field label={words.overlap}>
        {(tied) => (
          <select
            {...tied}
            className="control"
            data-autofocus
            name="overlap"
            value={hours}
            onChange={(event) => setHours(event.target.value)}
          >
            {overlaps.map((value) => (
              <option key={value} value={value}>
                {words.overlaps[value]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {rotating.error && <Trouble error={rotating.error} />}
    </Dialog>
  )
}
