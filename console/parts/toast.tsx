// Short news at the edge of the page, for what has no better place. Failures of messages are told in the message.
import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { IconButton } from './button.tsx'
import { useProblemText } from './states.tsx'

interface Toast {
  id: number
  text: string
  isBad: boolean
}

interface Toasts {
  say(text: string): void
  /** Told at once to those who listen. */
  complain(error: unknown): void
}

const ToastContext = createContext<Toasts | undefined>(undefined)
const shownForMs = 6_000

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Toast[]>([])
  const words = useWords(common)
  const textOf = useProblemText()
  const drop = useCallback(
    (id: number) => setToasts((all) => all.filter((one) => one.id !== id)),
    [],
  )
  const add = (text: string, isBad: boolean) => {
    const id = performance.now()
    setToasts((all) => [...all.slice(-2), { id, text, isBad }])
    setTimeout(() => drop(id), isBad ? shownForMs * 2 : shownForMs)
  }
  return (
    <ToastContext
      value={{ say: (text) => add(text, false), complain: (error) => add(textOf(error), true) }}
    >
      {children}
      <div className="toasts">
        {toasts.map(({ id, text, isBad }) => (
          <div key={id} className={`toast ${isBad ? 'bad' : ''}`} role={isBad ? 'alert' : 'status'}>
            <span>{text}</span>
            <IconButton icon="x" label={words.close} onClick={() => drop(id)} />
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext)
  if (!toasts) throw new Error('bug: no place for news here')
  return toasts
}
