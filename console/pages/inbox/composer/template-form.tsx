// A template's gaps to fill in, with what the contact will see.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { post } from '../../../api/call.ts'
import { toProblem } from '../../../api/problem.ts'
import type { Conversation } from '../../../api/types.ts'
import { Button } from '../../../parts/button.tsx'
import { useProblemText } from '../../../parts/states.tsx'
import { useWords } from '../../../words/language.tsx'
import { contactName } from '../people.ts'
import { keepFilling, readFilling } from './kept-draft.ts'
import { pickerWords } from './picker-words.ts'
import {
  fill,
  type Given,
  isMissing,
  marked,
  type Template,
  type TemplateField,
  type TemplatePreview,
} from './template-fields.ts'
import { FieldInput, isBadNumber } from './template-input.tsx'
import { Preview } from './template-preview.tsx'
import type { DraftFile } from './unsent-queue.ts'

interface TemplateFormProps {
  template: Template
  conversation: Conversation
  onBack(): void
  onSend(components: Record<string, unknown>[], files: DraftFile[]): void
}

const patienceMs = 250

export function TemplateForm({ template, conversation, onBack, onSend }: TemplateFormProps) {
  const words = useWords(pickerWords)
  const problemText = useProblemText()
  const form = useRef<HTMLFormElement>(null)
  const [given, setGiven] = useState<Given>(() => firstGiven(template, conversation))
  const [isTried, setTried] = useState(false)
  const { fields, components, files } = fill(template, given)
  const { data: preview, error } = usePreview(template, given)
  const isWrong = (field: TemplateField) => isMissing(field, given) || isBadNumber(field, given)
  const change = (next: Given) => {
    setGiven(next)
    keepFilling(conversation.id, { templateId: template.id, texts: next.texts })
  }
  // What is missing is told beside its field.
  const problems = fields.some(isWrong) ? [] : (preview?.problems ?? [])
  const send = () => {
    setTried(true)
    const wrong = fields.findIndex(isWrong)
    if (wrong >= 0) {
      form.current?.querySelectorAll<HTMLElement>('[data-field]')[wrong]?.focus()
      return
    }
    if (problems.length === 0) onSend(components, files)
  }
  const inputs = (isOptional: boolean) =>
    fields.map(
      (field) =>
        field.isOptional === isOptional && (
          <FieldInput
            key={field.id}
            field={field}
            given={given}
            onGiven={change}
            isTried={isTried}
          />
        ),
    )
  return (
    <form
      ref={form}
      className="picker-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        send()
      }}
    >
      <div className="picker-scroll">
        <Button small look="ghost" icon="back" className="picker-back" onClick={onBack}>
          {words.back}
        </Button>
        <b className="strong picker-name">{template.name}</b>
        <div className="picker-fields">{inputs(false)}</div>
        {fields.some(({ isOptional }) => isOptional) && (
          <details className="picker-more">
            <summary>{words.more}</summary>
            <div className="picker-fields">{inputs(true)}</div>
          </details>
        )}
        <div>
          <span className="label">{words.seen(contactName(conversation))}</span>
          {preview && <Preview preview={preview} files={files.map(({ file }) => file)} />}
          {error && <p className="hint bad">{problemText(toProblem(error))}</p>}
        </div>
        {problems.length > 0 && (
          <ul className="hint bad" role="alert">
            {problems.map(({ field, problem }) => (
              <li key={field + problem}>
                {field}: {problem}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div className="picker-foot">
        <span className="xs muted">{words.approved}</span>
        <Button type="submit" look="primary" icon="send" className="push">
          {words.send}
        </Button>
      </div>
    </form>
  )
}

/** What was filled in before; a gap for a name begins with the contact's. */
function firstGiven(template: Template, conversation: Conversation): Given {
  const kept = readFilling(conversation.id)
  if (kept.templateId === template.id && Object.keys(kept.texts).length > 0) {
    return { texts: kept.texts, files: {} }
  }
  const name = conversation.contact.name ?? conversation.contact_name
  const texts = fill(template).fields.flatMap(({ id, part, name: gap }) =>
    part !== 'button' && name !== null && /name|nombre|nome|nama/i.test(gap)
      ? [[id, /first|primer|pertama|depan/i.test(gap) ? (name.split(' ')[0] ?? name) : name]]
      : [],
  )
  return { texts: Object.fromEntries(texts), files: {} }
}

/** Asked when somebody pauses; what was seen stays until the next is there. */
function usePreview(template: Template, given: Given) {
  const { fields } = fill(template)
  const { components } = fill(template, marked(fields, given))
  const wanted = JSON.stringify(components)
  const asked = useCalm(wanted)
  return useQuery({
    queryKey: ['template-preview', template.id, template.updated_at, asked],
    queryFn: ({ signal }) =>
      post<TemplatePreview>(
        `/api/whatsapp/meta/templates/${template.id}/preview`,
        { components: JSON.parse(asked) },
        { signal },
      ),
    placeholderData: (before) => before,
  })
}

function useCalm(value: string): string {
  const [calm, setCalm] = useState(value)
  useEffect(() => {
    const later = setTimeout(() => setCalm(value), patienceMs)
    return () => clearTimeout(later)
  }, [value])
  return calm
}
