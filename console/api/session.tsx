// Who is signed in, and whose data the page shows. Ends with the server's word, not with the page's opinion.
import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { get, post, setStanding } from './call.ts'
import type { ApiProblem } from './problem.ts'
import { toProblem } from './problem.ts'
import type { SignedIn } from './types.ts'

export type Role = SignedIn['person']['role']
const ranks: Record<Role, number> = { agent: 0, admin: 1, operator: 2 }
/** What a role may, the roles above it may too. */
export const mayBe = (role: Role, needed: Role) => ranks[role] >= ranks[needed]

export interface Session {
  person: SignedIn['person']
  /** Null for operators, who belong to none. */
  ownTenant: SignedIn['tenant']
  may(needed: Role): boolean
  signOut(): Promise<void>
  signOutEverywhere(): Promise<void>
}

const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('bug: nobody is signed in here')
  return session
}

export type Standing =
  | { kind: 'looking' }
  | { kind: 'stranger' }
  | { kind: 'unreachable'; problem: ApiProblem }
  /** `isEnded`: signed in when the page was opened, and no longer. What was typed is still there. */
  | { kind: 'known'; signedIn: SignedIn; isEnded: boolean }

/** `welcome`: what signing in answered. */
export function useStanding(): {
  standing: Standing
  welcome(signedIn: SignedIn): void
  lookAgain(): void
} {
  const [standing, setOwn] = useState<Standing>({ kind: 'looking' })
  const [round, setRound] = useState(0)
  const queries = useQueryClient()

  const welcome = (signedIn: SignedIn) => {
    const before = standing.kind === 'known' ? standing.signedIn.person.id : undefined
    // Somebody else on the same machine gets a page without anything of the one before.
    if (before !== undefined && before !== signedIn.person.id) return location.reload()
    setStanding({
      csrfToken: signedIn.csrf_token,
      onSessionEnded: () =>
        setOwn((now) => (now.kind === 'known' ? { ...now, isEnded: true } : { kind: 'stranger' })),
    })
    setOwn({ kind: 'known', signedIn, isEnded: false })
    void queries.invalidateQueries()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per round.
  useEffect(() => {
    get<SignedIn>('/api/console/me').then(welcome, (error) => {
      const problem = toProblem(error)
      setOwn(problem.status === 401 ? { kind: 'stranger' } : { kind: 'unreachable', problem })
    })
  }, [round])

  return { standing, welcome, lookAgain: () => setRound((before) => before + 1) }
}

export function SessionProvider({
  signedIn,
  children,
}: {
  signedIn: SignedIn
  children: ReactNode
}) {
  const session = useMemo<Session>(() => {
    const leave = async (path: string) => {
      await post(path)
      sessionStorage.clear()
      location.assign('/console/')
    }
    return {
      person: signedIn.person,
      ownTenant: signedIn.tenant,
      may: (needed) => mayBe(signedIn.person.role, needed),
      signOut: () => leave('/api/console/sign-out'),
      signOutEverywhere: () => leave('/api/console/sign-out-everywhere'),
    }
  }, [signedIn])
  return <SessionContext value={session}>{children}</SessionContext>
}
