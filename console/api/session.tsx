// Who is signed in, and whose data the page shows. Ends with the server's word, not with the page's opinion.
import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react'
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
  /** Where Meta is played, under `dev`. */
  simulatorUrl: string | undefined
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

const ownerKey = 'estafet.owner'

/** What this tab keeps belongs to one person, and is gone with their session. */
function keepFor(personId: string): void {
  if (sessionStorage.getItem(ownerKey) === personId) return
  sessionStorage.clear()
  sessionStorage.setItem(ownerKey, personId)
}

/** Whether anything may be kept in this tab: not before somebody signed in, nor after they signed out. */
export const mayKeep = () => sessionStorage.getItem(ownerKey) !== null

export type Standing =
  | { kind: 'looking' }
  | { kind: 'stranger' }
  | { kind: 'unreachable'; problem: ApiProblem }
  /** `isEnded`: signed in when the page was opened, and no longer. What was typed is still there. */
  | { kind: 'known'; signedIn: SignedIn; isEnded: boolean }

/** A word to the other tabs: they share the cookie. */
const tabsKey = 'estafet.session'

/** `welcome`: what signing in answered. */
export function useStanding(): {
  standing: Standing
  welcome(signedIn: SignedIn): void
  lookAgain(): void
} {
  const [standing, setOwn] = useState<Standing>({ kind: 'looking' })
  const [round, setRound] = useState(0)
  const queries = useQueryClient()
  const lookAgain = useCallback(() => setRound((before) => before + 1), [])

  // What somebody writes survives the end of a session, and a gateway that does not answer.
  const end = () =>
    setOwn((now) => (now.kind === 'known' ? { ...now, isEnded: true } : { kind: 'stranger' }))

  const welcome = (signedIn: SignedIn) => {
    const { id } = signedIn.person
    // Somebody else on the same machine gets a page without anything of the one before.
    keepFor(id)
    localStorage.setItem(tabsKey, `${id} ${signedIn.expires_at}`)
    if (standing.kind === 'known' && standing.signedIn.person.id !== id) return location.reload()
    setStanding({ csrfToken: signedIn.csrf_token, onSessionEnded: end })
    setOwn({ kind: 'known', signedIn, isEnded: false })
    void queries.invalidateQueries()
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once per round.
  useEffect(() => {
    get<SignedIn>('/api/console/me').then(welcome, (error) => {
      const problem = toProblem(error)
      // Whether the session of somebody we know has ended is told by `refused`.
      const unknown: Standing =
        problem.status === 401 ? { kind: 'stranger' } : { kind: 'unreachable', problem }
      setOwn((now) => (now.kind === 'known' ? now : unknown))
    })
  }, [round])

  useEffect(() => {
    const onStorage = ({ key }: StorageEvent) => {
      if (key === tabsKey) lookAgain()
    }
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [lookAgain])

  return { standing, welcome, lookAgain }
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
      localStorage.removeItem(tabsKey)
      location.assign('/console/')
    }
    return {
      person: signedIn.person,
      ownTenant: signedIn.tenant,
      simulatorUrl: signedIn.simulator_url,
      may: (needed) => mayBe(signedIn.person.role, needed),
      signOut: () => leave('/api/console/sign-out'),
      signOutEverywhere: () => leave('/api/console/sign-out-everywhere'),
    }
  }, [signedIn])
  return <SessionContext value={session}>{children}</SessionContext>
}
