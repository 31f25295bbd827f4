// Deleting a template: in one language or in all, with what that means.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { remove } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { usePlace } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { type Template, templatesPath, useReload } from './data.ts'
import { Refused } from './refused.tsx'
import { useSpeech } from './speech.ts'
import { oneWords } from './words-of-one.ts'

interface DeleteDialogProps {
  template: Template
  siblings: Template[]
  onClose(): void
}

export function DeleteDialog({ template, siblings, onClose }: DeleteDialogProps) {
  const words = useWords(oneWords)
  const { cancel } = useWords(common)
  const format = useFormat()
  const speech = useSpeech()
  const { go, search } = usePlace()
  const { say } = useToasts()
  const reload = useReload()
  const [isAll, setAll] = useState(false)
  const deleting = useMutation({
    mutationFn: () =>
      remove(`${templatesPath}/${template.id}`, isAll ? { all_languages: true } : {}),
    onSuccess: () => {
      onClose()
      say(words.deleted(template.name))
      go('/templates', search, { replace: true })
      reload()
    },
  })
  const count = format.number(siblings.length)
  const choices = [
    { value: false, label: words.deleteOne(speech.language(template.language)) },
    { value: true, label: words.deleteAll(count) },
  ]
  return (
    <Dialog
      title={words.deleteTitle(template.name)}
      onClose={onClose}
      onSubmit={() => deleting.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{cancel}</Button>
          <Button look="danger" type="submit" busy={deleting.isPending}>
            {isAll ? words.deleteButtonAll(count) : words.deleteButton}
          </Button>
        </>
      }
    >
      <p>{words.deleteText}</p>
      {siblings.length > 1 && (
        <fieldset className="form templates-choices">
          <legend className="sr">{words.language}</legend>
          {choices.map(({ value, label }) => (
            <label key={label} className="row">
              <input
                type="radio"
                name="languages"
                checked={isAll === value}
                onChange={() => setAll(value)}
              />
              {label}
            </label>
          ))}
        </fieldset>
      )}
      {deleting.error && <Refused error={deleting.error} />}
    </Dialog>
  )
}
