// Opting a contact out by hand, and lifting it; both say why, and the audit keeps it.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { post } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import { Field, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { answersWords } from './answers-words.ts'
import { useContactName } from './contact-name.ts'
import type { Suppression } from './types.ts'

const path = '/api/whatsapp/suppressions'

export function LiftDialog({ row, onClose }: { row: Suppression; onClose(): void }) {
  const words = useWords(answersWords)
  const name = useContactName(row)
  const { say } = useToasts()
  return (
    <ReasonDialog
      title={words.liftTitle(name)}
      doIt={words.liftDo}
      act={(reason) => post(`${path}/${row.id}/lift`, { reason })}
      onDone={() => say(words.liftedSaid(name))}
      onClose={onClose}
    >
      {() => <p>{words.liftText}</p>}
    </ReasonDialog>
  )
}

export function AddDialog({ phoneNumberId, onClose }: { phoneNumberId: string; onClose(): void }) {
  const words = useWords(answersWords)
  const { say } = useToasts()
  const [to, setTo] = useState('')
  const [scope, setScope] = useState<Suppression['scope']>('everything')
  return (
    <ReasonDialog
      title={words.addTitle}
      doIt={words.addDo}
      isGood={to.trim() !== ''}
      act={(reason) => post(path, { phone_number_id: phoneNumberId, to: to.trim(), scope, reason })}
      onDone={() => say(scope === 'everything' ? words.added(to) : words.addedMarketing(to))}
      onClose={onClose}
    >
      {({ isTried, error }) => (
        <>
          <Field
            label={words.to}
            problem={
              (isTried && to.trim() === '' ? words.to : undefined) ??
              (error ? toProblem(error).fieldProblem('to') : undefined)
            }
          >
            {(tied) => (
              <input
                {...tied}
                className="control num"
                name="to"
                type="tel"
                autoComplete="off"
                maxLength={100}
                value={to}
                onChange={({ target }) => setTo(target.value)}
              />
            )}
          </Field>
          <div>
            <span className="label">{words.scope}</span>
            <Segments<Suppression['scope']>
              label={words.scope}
              chosen={scope}
              choices={(['everything', 'marketing'] as const).map((value) => ({
                value,
                label: words.scopes[value],
              }))}
              onChoose={setScope}
            />
          </div>
        </>
      )}
    </ReasonDialog>
  )
}

interface ReasonDialogProps {
  title: string
  doIt: string
  isGood?: boolean
  act(reason: string): Promise<unknown>
  onDone(): void
  onClose(): void
  children(tried: { isTried: boolean; error: unknown }): ReactNode
}

function ReasonDialog({
  title,
  doIt,
  isGood = true,
  act,
  onDone,
  onClose,
  children,
}: ReasonDialogProps) {
  const words = useWords(answersWords)
  const shared = useWords(common)
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const acting = useMutation({
    mutationFn: () => act(reason.trim()),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['accounts', 'opted-out'] })
      onDone()
      onClose()
    },
  })
  const hasReason = reason.trim() !== ''
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (isGood && hasReason && !acting.isPending) acting.mutate()
      }}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" look="primary" busy={acting.isPending}>
            {doIt}
          </Button>
        </>
      }
    >
      {children({ isTried, error: acting.error })}
      <Field
        label={words.reason}
        problem={isTried && !hasReason ? words.reasonRequired : undefined}
      >
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="reason"
            maxLength={500}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {acting.error && <Trouble error={acting.error} />}
    </Dialog>
  )
}
