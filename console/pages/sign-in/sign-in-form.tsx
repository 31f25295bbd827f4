// E-mail and password, on the page and in the dialog that interrupts it.
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { SignedIn } from '../../api/types.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { useProblemText } from '../../parts/states.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { signInWords } from './words.ts'

interface SignInFormProps {
  /** Fixed, where it is known who has to sign in. */
  email?: string
  onSignedIn(signedIn: SignedIn): void
}

export function SignInForm({ email: known, onSignedIn }: SignInFormProps) {
  const words = useWords(signInWords)
  const textOf = useSignInProblem()
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  async function signIn(): Promise<void> {
    setBusy(true)
    setProblem(undefined)
    try {
      onSignedIn(
        await post<SignedIn>('/api/console/sign-in', { email, password }, { tenantId: null }),
      )
    } catch (error) {
      setProblem(textOf(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void signIn()
      }}
    >
      <Field label={words.email}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            type="email"
            name="email"
            autoComplete="username"
            readOnly={known !== undefined}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <Field label={words.password}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            type="password"
            name="password"
            autoComplete="current-password"
            // biome-ignore lint/a11y/noAutofocus: nothing else is asked here.
            autoFocus={known !== undefined}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        )}
      </Field>
      {problem !== undefined && (
        <p className="hint bad" role="alert">
          {problem}
        </p>
      )}
      <Button look="primary" type="submit" busy={isBusy}>
        {words.signIn}
      </Button>
    </form>
  )
}

function useSignInProblem(): (error: unknown) => string {
  const words = useWords(signInWords)
  const format = useFormat()
  const textOf = useProblemText()
  return (error) => {
    if (!(error instanceof ApiProblem)) return textOf(error)
    const { retry_after_seconds: wait } = error.details as { retry_after_seconds?: number }
    if (error.status === 429 && wait !== undefined) return words.locked(format.length(wait * 1000))
    if (error.status === 401 || error.status === 400) return words.wrong
    return textOf(error)
  }
}
