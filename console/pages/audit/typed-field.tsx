// A field whose text counts when it is left or sent, not with every key.
import { useEffect, useState } from 'react'
import { Field } from '../../parts/basics.tsx'

interface TypedFieldProps {
  label: string
  name: string
  value: string | undefined
  onGiven(text: string | undefined): void
}

export function TypedField({ label, name, value = '', onGiven }: TypedFieldProps) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const give = () => {
    if (text.trim() !== value) onGiven(text.trim() || undefined)
  }
  return (
    <Field label={label}>
      {(tied) => (
        <input
          {...tied}
          className="control"
          name={name}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onBlur={give}
          onKeyDown={(event) => {
            if (event.key === 'Enter') give()
          }}
        />
      )}
    </Field>
  )
}
