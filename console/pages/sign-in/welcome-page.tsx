// Where the links of invitations and new passwords lead. The token is behind the #, so that no server's log has it.
import { useEffect, useState } from 'react'
import { post } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import type { SignedIn } from '../../api/types.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Skeleton, useProblemText } from '../../parts/states.tsx'
import { useWords } from '../../words/language.tsx'
import { DoorFrame } from './sign-in-page.tsx'
import { signInWords } from './words.ts'

interface Owner {
  name: string
  email: string
  purpose: 'invitation' | 'new_password'
}

export function WelcomePage({ onSignedIn }: { onSignedIn(signedIn: SignedIn): void }) {
  const words = useWords(signInWords)
  const textOf = useProblemText()
  const [token] = useState(() => location.hash.slice(1))
  const [owner, setOwner] = useState<Owner | 'over'>()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  useEffect(() => {
    post<Owner>('/api/console/link', { token }, { tenantId: null }).then(setOwner, () =>
      setOwner('over'),
    )
  }, [token])

  async function accept(): Promise<void> {
    setBusy(true)
    setProblem(undefined)
    try {
      onSignedIn(
        await post<SignedIn>('/api/console/link/accept', { token, password }, { tenantId: null }),
      )
    } catch (error) {
      const field = toProblem(error).fieldProblem('password')
      setProblem(field === undefined ? textOf(error) : words.passwordHint)
    } finally {
      setBusy(false)
    }
  }

  if (owner === undefined) return <Skeleton />
  if (owner === 'over') {
    return (
      <DoorFrame title={words.linkOver} text={words.linkOverText}>
        <a href="/console/">{words.toSignIn}</a>
      </DoorFrame>
    )
  }
  return (
    <DoorFrame
      title={words.welcome(owner.name)}
      text={owner.purpose === 'invitation' ? words.invitation : words.newPassword}
    >
      <form
        className="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void accept()
        }}
      >
        <input
          type="email"
          name="email"
          autoComplete="username"
          value={owner.email}
          readOnly
          hidden
        />
        <Field label={words.choosePassword} hint={words.passwordHint} problem={problem}>
          {(tied) => (
            <input
              {...tied}
              className="control"
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Button look="primary" type="submit" busy={isBusy}>
          {words.save}
        </Button>
      </form>
    </DoorFrame>
  )
}
