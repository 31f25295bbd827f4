// E-mail and password, on the page and in the dialog that interrupts it.
import { useRef, useState } from 'react'
import { post } from '../../api/call.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { SignedIn } from '../../api/types.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { PasswordField } from '../../parts/password.tsx'
import { Refused } from '../../parts/states.tsx'
import { useWords } from '../../words/language.tsx'
import { LockedOut, lockOf } from './locked-out.tsx'
import { signInWords } from './words.ts'

interface SignInFormProps {
  /** Fixed, where it is known who has to sign in. */
  email?: string
  onSignedIn(signedIn: SignedIn): void
}

export function SignInForm({ email: known, onSignedIn }: SignInFormProps) {
  const words = useWords(signInWords)
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)

  async function signIn(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      onSignedIn(
        await post<SignedIn>('/api/console/sign-in', { email, password }, { tenantId: null }),
      )
    } catch (refusal) {
      setError(refusal)
      form.current?.querySelector<HTMLInputElement>('[name="password"]')?.select()
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      ref={form}
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
            // biome-ignore lint/a11y/noAutofocus: nothing else is asked here.
            autoFocus={known === undefined}
            readOnly={known !== undefined}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="current-password"
        value={password}
        onType={setPassword}
      />
      <SignInRefused error={error} />
      <Button look="primary" type="submit" busy={isBusy}>
        {words.signIn}
      </Button>
    </form>
  )
}

function SignInRefused({ error }: { error: unknown }) {
  const words = useWords(signInWords)
  const until = lockOf(error)
  if (until !== undefined) return <LockedOut until={until} />
  // An address that is none is not told apart: it belongs to no password either.
  if (error instanceof ApiProblem && (error.status === 401 || error.status === 400)) {
    return (
      <p className="hint bad" role="alert">
        {words.wrong}
      </p>
    )
  }
  return <Refused error={error} />
}
