// A signed-in person's own new password.
import { useState } from 'react'
import { post } from '../../api/call.ts'
import { ApiProblem } from '../../api/problem.ts'
import { useSession } from '../../api/session.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { PasswordField } from '../../parts/password.tsx'
import { Refused } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import { LockedOut, lockOf } from './locked-out.tsx'
import { signInWords } from './words.ts'

export function ChangePassword({ onClose }: { onClose(): void }) {
  const words = useWords(signInWords)
  const shared = useWords(common)
  const { person } = useSession()
  const { say } = useToasts()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const isWrong = error instanceof ApiProblem && error.code === 'SIGN_IN_FAILED'
  const isShort = error instanceof ApiProblem && error.fieldProblem('password') !== undefined
  const until = lockOf(error)

  async function change(): Promise<void> {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    try {
      await post('/api/console/password', { current_password: current, password })
      say(words.passwordChanged)
      onClose()
    } catch (refusal) {
      setError(refusal)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog
      title={words.changePasswordTitle}
      onClose={onClose}
      onSubmit={() => void change()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={isBusy}>
            {words.changePasswordDo}
          </Button>
        </>
      }
    >
      <p className="soft">{words.changePasswordText}</p>
      <input type="email" autoComplete="username" value={person.email} readOnly hidden />
      <PasswordField
        label={words.currentPassword}
        name="current"
        autoComplete="current-password"
        value={current}
        onType={setCurrent}
        problem={isWrong ? words.currentWrong : undefined}
      />
      <PasswordField
        label={words.choosePassword}
        name="new"
        autoComplete="new-password"
        hint={words.passwordHint}
        value={password}
        onType={setPassword}
        problem={isShort ? words.passwordHint : undefined}
      />
      {until === undefined ? (
        !isWrong && <Refused error={error} fields={['password']} />
      ) : (
        <LockedOut until={until} />
      )}
    </Dialog>
  )
}
