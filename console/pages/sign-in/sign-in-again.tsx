// Over the page when a session has ended: nothing behind it is lost.
import type { Person, SignedIn } from '../../api/types.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useWords } from '../../words/language.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { signInWords } from './words.ts'

export function SignInAgain({
  person,
  onSignedIn,
}: {
  person: Person
  onSignedIn(signedIn: SignedIn): void
}) {
  const words = useWords(signInWords)
  return (
    <Dialog title={words.againTitle} isFixed onClose={() => undefined}>
      <p>{words.againText}</p>
      <SignInForm email={person.email} onSignedIn={onSignedIn} />
      <a href="/console/" className="xs">
        {words.otherPerson}
      </a>
    </Dialog>
  )
}
