// One gap of a template: a text, a file, a place or a moment.
import { useRef, useState } from 'react'
import { Field } from '../../../parts/basics.tsx'
import { Button } from '../../../parts/button.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { useFileProblem } from './attachments.tsx'
import { judge } from './limits.ts'
import { pickerWords } from './picker-words.ts'
import { type Given, isMissing, type TemplateField } from './template-fields.ts'

interface FieldInputProps {
  field: TemplateField
  given: Given
  onGiven(given: Given): void
  /** Somebody wanted to send: what is missing is said from now on. */
  isTried: boolean
}

const degrees = { latitude: 90, longitude: 180 }

export function isBadNumber({ kind, id }: TemplateField, { texts }: Given): boolean {
  if (kind !== 'latitude' && kind !== 'longitude') return false
  const value = Number((texts[id] ?? '').replace(',', '.'))
  return Number.isNaN(value) || Math.abs(value) > degrees[kind]
}

export function FieldInput({ field, given, onGiven, isTried }: FieldInputProps) {
  const words = useWords(pickerWords)
  const labelOf = useLabel()
  const { id, part, kind, example, max } = field
  const problem =
    isTried && isMissing(field, given)
      ? words.required
      : (given.texts[id] ?? '') !== '' && isBadNumber(field, given)
        ? words.notNumber
        : undefined
  if (kind === 'image' || kind === 'video' || kind === 'document') {
    return <FileInput field={{ ...field, kind }} {...{ given, onGiven }} problem={problem} />
  }
  return (
    <Field
      label={labelOf(field)}
      problem={problem}
      hint={part === 'button' && example ? example.replace(/\{\{.*$/, '…') : undefined}
    >
      {(tied) => (
        <input
          {...tied}
          data-field
          className="control"
          type={kind === 'moment' ? 'datetime-local' : 'text'}
          inputMode={kind === 'latitude' || kind === 'longitude' ? 'decimal' : 'text'}
          maxLength={max}
          placeholder={part !== 'button' && example ? words.forExample(example) : undefined}
          value={given.texts[id] ?? ''}
          onChange={(event) =>
            onGiven({ ...given, texts: { ...given.texts, [id]: event.target.value } })
          }
        />
      )}
    </Field>
  )
}

function FileInput({
  field,
  given,
  onGiven,
  problem,
}: Omit<FieldInputProps, 'isTried'> & {
  field: TemplateField & { kind: 'image' | 'video' | 'document' }
  problem: string | undefined
}) {
  const words = useWords(pickerWords)
  const format = useFormat()
  const labelOf = useLabel()
  const problemText = useFileProblem()
  const chooser = useRef<HTMLInputElement>(null)
  const [refusal, setRefusal] = useState<string>()
  const file = given.files[field.id]
  const choose = (chosen: File | undefined) => {
    if (!chosen) return
    const judged = judge(chosen)
    if (judged.problem) return setRefusal(problemText(judged.problem))
    if (judged.kind !== field.kind) return setRefusal(words.otherKind)
    setRefusal(undefined)
    onGiven({ ...given, files: { ...given.files, [field.id]: judged.file } })
  }
  return (
    <Field
      label={labelOf(field)}
      problem={refusal ?? problem}
      hint={file ? `${file.name} · ${format.bytes(file.size)}` : undefined}
    >
      {({ id, 'aria-describedby': describedBy }) => (
        <>
          <input
            ref={chooser}
            type="file"
            hidden
            data-file={field.id}
            onChange={(event) => {
              choose(event.target.files?.[0])
              event.target.value = ''
            }}
          />
          <Button
            id={id}
            data-field
            icon="clip"
            aria-describedby={describedBy}
            onClick={() => chooser.current?.click()}
          >
            {words.chooseFile}
          </Button>
        </>
      )}
    </Field>
  )
}

function useLabel(): (field: TemplateField) => string {
  const words = useWords(pickerWords)
  const format = useFormat()
  const own = ({ part, kind, name, isOptional, max }: TemplateField): string => {
    if (kind === 'latitude' || kind === 'longitude') return words[kind]
    if (kind === 'place') return words.places[name as 'name' | 'address']
    if (kind === 'moment') return words.until
    if (kind !== 'text') return words.files[kind]
    if (part === 'button') {
      if (isOptional) return words.buttonPayload(name)
      return max === 15 ? words.buttonCode(name) : words.buttonLink(name)
    }
    return /^\d+$/.test(name) ? words.gap(name) : name.replaceAll('_', ' ')
  }
  return (field) => {
    const where = field.part === 'header' && field.kind === 'text' ? [words.parts.header] : []
    const card = field.card === undefined ? [] : [words.card(format.number(field.card + 1))]
    return [...card, ...where, own(field)].join(' · ')
  }
}
