// A password: hidden, unless the person wants to see what they type.
import { type ComponentProps, useState } from 'react'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Field } from './basics.tsx'

interface PasswordFieldProps
  extends Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange' | 'className'> {
  label: string
  hint?: string
  problem?: string | undefined
  value: string
  onType(value: string): void
}

export function PasswordField({ label, hint, problem, onType, ...rest }: PasswordFieldProps) {
  const words = useWords(common)
  const [isShown, setShown] = useState(false)
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(tied) => (
        <span className={`control ${problem === undefined ? '' : 'invalid'}`}>
          <input
            {...tied}
            {...rest}
            type={isShown ? 'text' : 'password'}
            onChange={(event) => onType(event.target.value)}
          />
          <button
            type="button"
            className="reveal"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? words.hide : words.show}
          </button>
        </span>
      )}
    </Field>
  )
}
