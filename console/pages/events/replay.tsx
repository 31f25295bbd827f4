// Delivering events again, by time: how many they are is known before anything is sent.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { Field, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Endpoint, endpointsPath, type Replayed } from './data.ts'
import { formWords } from './form-words.ts'

const hourMs = 3_600_000
const spans = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs }
type Span = keyof typeof spans | 'own'

export function ReplayDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose(): void }) {
  const words = useWords(formWords)
  const { cancel } = useWords(common)
  const { number } = useFormat()
  const { say } = useToasts()
  const [openedAt] = useState(Date.now)
  const [span, setSpan] = useState<Span>('hour')
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [onlyFailed, setOnlyFailed] = useState(false)
  const since = span === 'own' ? momentOf(from) : new Date(openedAt - spans[span]).toISOString()
  const until = span === 'own' ? momentOf(to) : undefined
  const wish = { from: since, ...(until && { to: until }), only_failed: onlyFailed }
  const path = `${endpointsPath}/${endpoint.id}/replay`
  const counted = useQuery({
    queryKey: ['replayable', endpoint.id, wish],
    queryFn: ({ signal }) => post<Replayed>(path, { ...wish, dry_run: true }, { signal }),
    enabled: since !== undefined,
    staleTime: 0,
    gcTime: 0,
  })
  const replaying = useMutation({
    mutationFn: () => replayAll(path, wish),
    onSuccess: (replayed) => {
      say(words.replayed(number(replayed)))
      onClose()
    },
  })
  const count = counted.data?.replayed ?? 0
  const problem = replaying.error ?? counted.error
  return (
    <Dialog
      title={words.replayTitle}
      onClose={onClose}
      onSubmit={() => count > 0 && replaying.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          {count > 0 && (
            <Button look="primary" type="submit" busy={replaying.isPending}>
              {words.replay(number(count))}
            </Button>
          )}
        </>
      }
    >
      <p>{words.replayText}</p>
      <div>
        <span className="label">{words.since}</span>
        <Segments<Span>
          label={words.since}
          choices={(['hour', 'day', 'week', 'own'] satisfies Span[]).map((value) => ({
            value,
            label: words.spans[value],
          }))}
          chosen={span}
          onChoose={setSpan}
        />
      </div>
      {span === 'own' && (
        <div className="events-times">
          <TimeField label={words.from} value={from} onChange={setFrom} />
          <TimeField label={words.to} value={to} onChange={setTo} />
        </div>
      )}
      <label className="row">
        <input
          type="checkbox"
          className="check"
          checked={onlyFailed}
          onChange={(event) => setOnlyFailed(event.target.checked)}
        />
        {words.onlyFailed}
      </label>
      <p role="status" className="soft">
        {counted.isFetching && words.counting}
        {!counted.isFetching && counted.data && saysOf(counted.data, words, number)}
      </p>
      {problem && <Trouble error={problem} />}
    </Dialog>
  )
}

/** Call after call, each from where the one before ended. */
async function replayAll(path: string, wish: object): Promise<number> {
  let count = 0
  let after = {}
  for (;;) {
    const { replayed, next } = await post<Replayed>(path, { ...wish, ...after })
    count += replayed
    if (next === null) return count
    after = { after: next }
  }
}

function saysOf(
  { replayed, has_more }: Replayed,
  words: (typeof formWords)['en'],
  number: (value: number) => string,
): string {
  if (replayed === 0) return words.nothing
  return has_more ? words.countedMost(number(replayed)) : words.counted(number(replayed))
}

function TimeField({
  label,
  value,
  onChange,
}: {
  label: string
  value: string
  onChange(value: string): void
}) {
  return (
    <Field label={label}>
      {(tied) => (
        <input
          {...tied}
          className="control"
          type="datetime-local"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

/** Where the person is. */
function momentOf(local: string): string | undefined {
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
