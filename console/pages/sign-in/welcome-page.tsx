// Where the links of invitations and new passwords lead. The token is behind the #, so that no server's log has it.
import { useCallback, useEffect, useState } from 'react'
import { post } from '../../api/call.ts'
import { toProblem } from '../../api/problem.ts'
import type { SignedIn } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { PasswordField } from '../../parts/password.tsx'
import { Refused, Skeleton, Trouble } from '../../parts/states.tsx'
import { useWords } from '../../words/language.tsx'
import { DoorFrame } from './sign-in-page.tsx'
import { signInWords } from './words.ts'

interface Owner {
  name: string
  email: string
  purpose: 'invitation' | 'new_password'
}

type Link =
  | { kind: 'looking' }
  | { kind: 'over' }
  | { kind: 'trouble'; error: unknown }
  | { kind: 'good'; owner: Owner }

/** Used, replaced, too old, or never a token at all. */
const isOver = (error: unknown) => [400, 410].includes(toProblem(error).status)

export function WelcomePage({ onSignedIn }: { onSignedIn(signedIn: SignedIn): void }) {
  const words = useWords(signInWords)
  const [token] = useState(() => location.hash.slice(1))
  const [link, setLink] = useState<Link>({ kind: 'looking' })

  const look = useCallback(() => {
    setLink({ kind: 'looking' })
    post<Owner>('/api/console/link', { token }, { tenantId: null }).then(
      (owner) => setLink({ kind: 'good', owner }),
      (error) => setLink(isOver(error) ? { kind: 'over' } : { kind: 'trouble', error }),
    )
  }, [token])
  useEffect(look, [look])

  if (link.kind === 'looking') return <Skeleton />
  if (link.kind === 'trouble') {
    return (
      <DoorFrame title={words.linkTrouble}>
        <Trouble error={link.error} onRetry={look} />
      </DoorFrame>
    )
  }
  if (link.kind === 'over') {
    return (
      <DoorFrame title={words.linkOver} text={words.linkOverText}>
        <a href="/console/">{words.toSignIn}</a>
      </DoorFrame>
    )
  }
  const { owner } = link
  return (
    <DoorFrame
      title={words.welcome(owner.name)}
      text={owner.purpose === 'invitation' ? words.invitation : words.newPassword}
    >
      <ChoosePassword
        token={token}
        email={owner.email}
        onSignedIn={onSignedIn}
        onOver={() => setLink({ kind: 'over' })}
      />
    </DoorFrame>
  )
}

function ChoosePassword({
  token,
  email,
  onSignedIn,
  onOver,
}: {
  token: string
  email: string
  onSignedIn(signedIn: SignedIn): void
  onOver(): void
}) {
  const words = useWords(signInWords)
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isShort = error !== undefined && toProblem(error).fieldProblem('password') !== undefined

  async function accept(): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      onSignedIn(
        await post<SignedIn>('/api/console/link/accept', { token, password }, { tenantId: null }),
      )
    } catch (refusal) {
      if (toProblem(refusal).status === 410) onOver()
      else setError(refusal)
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
        if (!isBusy) void accept()
      }}
    >
      <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label={words.choosePassword}
        hint={words.passwordHint}
        problem={isShort ? words.passwordHint : undefined}
        name="password"
        autoComplete="new-password"
        value={password}
        onType={setPassword}
      />
      <Refused error={error} fields={['password']} />
      <Button look="primary" type="submit" busy={isBusy}>
        {words.save}
      </Button>
    </form>
  )
}
