// Connecting a number: Meta's part happens in a window of its own, which tells this page what came of it.
import { useCallback, useEffect, useRef, useState } from 'react'
import { post } from '../../api/call.ts'
import { useLanguage } from '../../words/language.tsx'
import { useAccountNews, useRefresh } from './data.ts'
import type { Account, SignupStart } from './types.ts'

export type Connecting =
  | { kind: 'idle' }
  | { kind: 'starting'; account: Account | null }
  | {
      kind: 'waiting'
      account: Account | null
      signup: SignupStart
      address: string
      hasWindow: boolean
    }
  | { kind: 'closed'; account: Account | null; signup: SignupStart }
  | { kind: 'refused'; account: Account | null; title: string; text: string; small: string }
  | { kind: 'failed'; account: Account | null; error: unknown }
  /** The gateway's public address is another host: neither the session nor Meta's word for this page reaches there. */
  | { kind: 'elsewhere'; address: string }
  | { kind: 'done'; accountId: string; waited: number }

/** What the sign-up page says; of this origin, since nobody else is heard on the channel. */
interface Word {
  id?: string
  kind?: 'ok' | 'bad' | 'away'
  account?: string
  title?: string
  text?: string
  small?: string
}

const base = '/api/integrations/meta/whatsapp'
const lookEveryMs = 500

export interface Connector {
  now: Connecting
  /** Null: a new number. To be called by the press itself. */
  begin(account: Account | null): void
  stop(): void
}

export function useConnecting(accounts: Account[] | undefined): Connector {
  const [now, setNow] = useState<Connecting>({ kind: 'idle' })
  const { language } = useLanguage()
  const opened = useRef<Window | null>(null)
  const refresh = useRefresh()
  const known = useRef(accounts)
  known.current = accounts
  const before = useRef(new Set<string>())

  const finish = useCallback(
    (accountId: string, before: Account | null) => {
      opened.current?.close()
      const after = known.current?.find(({ id }) => id === accountId)
      // Some of it may be out before we hear of it.
      const waited = Math.max(before?.waiting_count ?? 0, after?.waiting_count ?? 0)
      setNow({ kind: 'done', accountId, waited })
      refresh()
    },
    [refresh],
  )

  async function begin(account: Account | null): Promise<void> {
    opened.current?.close()
    // Empty at first: browsers let a window open at a press, and not once an answer has come.
    opened.current = window.open('', '_blank', 'popup,width=520,height=760')
    before.current = new Set(known.current?.map(({ id }) => id))
    setNow({ kind: 'starting', account })
    try {
      const signup = account
        ? await post<SignupStart>(`${base}/reconnect`, { account_id: account.id })
        : await post<SignupStart>(`${base}/start`)
      const url = new URL(signup.url)
      if (url.host !== location.host) {
        opened.current?.close()
        setNow({ kind: 'elsewhere', address: `${url.origin}/console/accounts` })
        return
      }
      const address = `${url.pathname}${url.search}&lang=${language}`
      opened.current?.location.replace(address)
      setNow({ kind: 'waiting', account, signup, address, hasWindow: opened.current !== null })
    } catch (error) {
      opened.current?.close()
      setNow({ kind: 'failed', account, error })
    }
  }

  useEffect(() => {
    // Also of a window that seems closed: on a busy machine the word that it goes through other pages comes late.
    if (now.kind !== 'waiting' && now.kind !== 'closed') return
    const { kind, signup, account } = now
    let isAway = false
    const channel = new BroadcastChannel('estafet.signup')
    channel.onmessage = ({ data }: MessageEvent<Word>) => {
      if (data.id !== signup.id) return
      // The window goes through other pages now, and to us it looks closed.
      if (data.kind === 'away') isAway = true
      if (data.kind === 'ok' && data.account) finish(data.account, account)
      if (data.kind !== 'bad') return
      opened.current?.close()
      const { title = '', text = '', small = '' } = data
      setNow({ kind: 'refused', account, title, text, small })
    }
    const looking = setInterval(() => {
      const isOver = Date.now() > new Date(signup.expires_at).getTime()
      const isGone = isOver || (opened.current?.closed && !isAway)
      if (!isGone || kind !== 'waiting') return
      // We close it ourselves once we know the end, and may look once more before that end is shown.
      setNow((latest) => (latest === now ? { kind: 'closed', account, signup } : latest))
    }, lookEveryMs)
    return () => {
      channel.close()
      clearInterval(looking)
    }
  }, [now, finish])

  // A window that was closed too early to say so, or that belongs to another browser. Not of a number that was here when we
  // began: a colleague may look after that one meanwhile, and our window is still needed.
  useAccountNews(({ account_id: id, changed = [] }) => {
    if (now.kind !== 'closed' && now.kind !== 'waiting') return
    const isNews = changed.includes('connected') || changed.includes('access_token')
    const isOurs = now.account ? now.account.id === id : id && !before.current.has(id)
    if (id && isNews && isOurs) finish(id, now.account)
  })

  return {
    now,
    begin: (account) => void begin(account),
    stop: () => {
      opened.current?.close()
      setNow({ kind: 'idle' })
    },
  }
}
