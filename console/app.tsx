// Who is there decides what is shown: strangers sign in, people get their views.
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { createQueries } from './api/queries.ts'
import { SessionProvider, useStanding } from './api/session.tsx'
import type { SignedIn } from './api/types.ts'
import { hasUnsent } from './pages/inbox/composer/unsent-storage.ts'
import { SignInAgain } from './pages/sign-in/sign-in-again.tsx'
import { SignInPage } from './pages/sign-in/sign-in-page.tsx'
import { WelcomePage } from './pages/sign-in/welcome-page.tsx'
import { Skeleton, Trouble } from './parts/states.tsx'
import { ToastProvider } from './parts/toast.tsx'
import { createConsoleRouter } from './router.tsx'
import { LanguageProvider } from './words/language.tsx'

export function App() {
  const [queries] = useState(createQueries)
  return (
    <LanguageProvider>
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <Door />
        </ToastProvider>
      </QueryClientProvider>
    </LanguageProvider>
  )
}

function Door() {
  const { standing, welcome, lookAgain } = useStanding()
  // A link with a token is for whoever holds it, signed in or not.
  const [isWelcome, setWelcome] = useState(location.pathname === '/console/welcome')
  if (isWelcome) {
    return (
      <WelcomePage
        onSignedIn={(signedIn) => {
          history.replaceState(null, '', '/console/')
          setWelcome(false)
          welcome(signedIn)
        }}
      />
    )
  }
  if (standing.kind === 'looking') return <Skeleton lines={6} />
  if (standing.kind === 'unreachable')
    return <Trouble error={standing.problem} onRetry={lookAgain} />
  if (standing.kind === 'stranger') return <SignInPage onSignedIn={welcome} />
  return (
    <SessionProvider signedIn={standing.signedIn}>
      <Views signedIn={standing.signedIn} onRefused={lookAgain} />
      {standing.isEnded && <SignInAgain person={standing.signedIn.person} onSignedIn={welcome} />}
    </SessionProvider>
  )
}

function Views({ signedIn, onRefused }: { signedIn: SignedIn; onRefused(): void }) {
  const { id, role } = signedIn.person
  // biome-ignore lint/correctness/useExhaustiveDependencies: a person keeps their views, whatever is learnt about them.
  const router = useMemo(() => createConsoleRouter(role, onRefused), [id, role])
  // What was written before a reload goes on, whichever view is open now.
  useEffect(() => {
    if (hasUnsent()) void import('./pages/inbox/composer/sender.ts')
  }, [])
  return <RouterProvider router={router} />
}
