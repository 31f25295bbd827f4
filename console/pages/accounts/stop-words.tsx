// The words by which people opt out, and where they are set. Operators change a firm's own.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { get, patch } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { Badge, Field, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { answersWords } from './answers-words.ts'
import { keys } from './data.ts'
import type { StopWords } from './types.ts'

export function StopWordList() {
  const words = useWords(answersWords)
  const { may } = useSession()
  const [isEditing, setEditing] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey: keys.stopWords,
    queryFn: ({ signal }) => get<StopWords>('/api/whatsapp/stop-words', undefined, signal),
  })
  return (
    <section className="accounts-pad accounts-stop" aria-label={words.stopWords}>
      <h3>{words.stopWords}</h3>
      <p className="soft">{words.stopText}</p>
      {error && <Trouble error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={2} />}
      {data && (
        <>
          {data.words.length === 0 ? (
            <p className="warn">{words.noWords}</p>
          ) : (
            <ul className="row wrap accounts-words">
              {data.words.map((word) => (
                <li key={word}>
                  <Badge>{word}</Badge>
                </li>
              ))}
            </ul>
          )}
          <p className="xs muted">
            {data.source === 'tenant' ? words.ofTenant : words.ofInstallation}
          </p>
          {may('operator') && (
            <div>
              <Button small icon="edit" onClick={() => setEditing(true)}>
                {words.editWords}
              </Button>
            </div>
          )}
        </>
      )}
      {isEditing && data && <WordsDialog current={data} onClose={() => setEditing(false)} />}
    </section>
  )
}

function WordsDialog({ current, onClose }: { current: StopWords; onClose(): void }) {
  const words = useWords(answersWords)
  const shared = useWords(common)
  const tenant = useTenant()
  const queries = useQueryClient()
  const [source, setSource] = useState(current.source)
  const [text, setText] = useState(current.words.join('\n'))
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const save = useMutation({
    mutationFn: () =>
      patch(`/api/admin/tenants/${tenant.id}`, {
        stop_words:
          source === 'installation'
            ? null
            : text
                .split('\n')
                .map((word) => word.trim())
                .filter(Boolean),
        reason: reason.trim(),
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: keys.stopWords })
      onClose()
    },
  })
  const isGood = reason.trim() !== ''
  return (
    <Dialog
      title={words.wordsTitle(tenant.name)}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (isGood && !save.isPending) save.mutate()
      }}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {shared.save}
          </Button>
        </>
      }
    >
      <Segments<StopWords['source']>
        label={words.stopWords}
        chosen={source}
        choices={[
          { value: 'installation', label: words.usualWords },
          { value: 'tenant', label: words.ownWords },
        ]}
        onChoose={setSource}
      />
      {source === 'tenant' && (
        <Field label={words.words} hint={words.wordsHint}>
          {(tied) => (
            <textarea
              {...tied}
              className="control"
              rows={8}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
      )}
      <Field label={words.reason} problem={isTried && !isGood ? words.reasonRequired : undefined}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {save.error && <Trouble error={save.error} />}
    </Dialog>
  )
}
