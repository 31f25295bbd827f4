// The door.
import { type ReactNode, useEffect } from 'react'
import type { SignedIn } from '../../api/types.ts'
import { type Language, languages } from '../../words/define.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { signInWords } from './words.ts'
import './sign-in.css'

export function SignInPage({ onSignedIn }: { onSignedIn(signedIn: SignedIn): void }) {
  const words = useWords(signInWords)
  return (
    <DoorFrame title={words.title} text={words.text}>
      <SignInForm onSignedIn={onSignedIn} />
      <p className="hint">{words.forgotten}</p>
    </DoorFrame>
  )
}

export function DoorFrame({
  title,
  text,
  children,
}: {
  title: string
  text?: string
  children: ReactNode
}) {
  const { language, choose } = useLanguage()
  useEffect(() => {
    document.title = `${title} · Estafet`
  }, [title])
  return (
    <main className="door">
      <div className="door-box card">
        <img src="/console/logo.svg" alt="Estafet" width="40" height="40" />
        <div>
          <h1>{title}</h1>
          {text && <p className="soft">{text}</p>}
        </div>
        {children}
      </div>
      <div className="door-languages">
        {(Object.keys(languages) as Language[]).map((one) => (
          <button
            key={one}
            type="button"
            className="btn ghost sm"
            lang={one}
            aria-pressed={one === language}
            onClick={() => choose(one)}
          >
            {languages[one]}
          </button>
        ))}
      </div>
    </main>
  )
}
