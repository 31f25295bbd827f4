// What happens, as it happens: one stream for the whole page, and the pill that says whether it flows.
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { onReach } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { openStream, type StreamState } from '../api/stream.ts'
import type { StreamEvent } from '../api/stream-frames.ts'
import { useWords } from '../words/language.tsx'
import { useTenant } from './tenant.tsx'
import { shellWords } from './words.ts'

type Listener = (event: StreamEvent) => void

interface Live {
  state: StreamState
  listen(listener: Listener): () => void
}

const LiveContext = createContext<Live | undefined>(undefined)

export function LiveProvider({ children, onRefused }: { children: ReactNode; onRefused(): void }) {
  const { id: tenantId } = useTenant()
  const session = useSession()
  const [state, setState] = useState<StreamState>('live')
  const listeners = useRef(new Set<Listener>())
  const refused = useRef(onRefused)
  refused.current = onRefused
  const isAgain = useRef(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session needs another stream.
  useEffect(() => {
    setState('live')
    const tell = (event: StreamEvent) => {
      for (const listener of listeners.current) listener(event)
    }
    // Nobody listened between two sessions.
    if (isAgain.current) tell({ id: '', type: 'stream.reset', data: {} })
    isAgain.current = true
    // The whole has no stream: it is asked for again and again, and the pill tells whether that works.
    if (tenantId === null) return onReach((isReached) => setState(isReached ? 'live' : 'offline'))
    return openStream({
      tenantId,
      onEvent: tell,
      onState: setState,
      onRefused: () => refused.current(),
    })
  }, [tenantId, session])
  const live = useMemo<Live>(
    () => ({
      state,
      listen: (listener) => {
        listeners.current.add(listener)
        return () => listeners.current.delete(listener)
      },
    }),
    [state],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

function useLiveContext(): Live {
  const live = useContext(LiveContext)
  if (!live) throw new Error('bug: nothing is live here')
  return live
}

/** Every event of the tenant. `stream.reset` means that some were missed: ask for everything again. */
export function useLive(listener: Listener): void {
  const { listen } = useLiveContext()
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => listen((event) => latest.current(event)), [listen])
}

export const useLiveState = (): StreamState => useLiveContext().state

export function LivePill() {
  const state = useLiveState()
  const words = useWords(shellWords)
  return (
    <span className={`live ${state}`} role="status" title={words.liveHints[state]}>
      {words.live[state]}
    </span>
  )
}
