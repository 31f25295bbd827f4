// A list, and beside it what was chosen in it: a drawer on narrower screens, the whole of a phone's.
import type { ReactNode } from 'react'
import { useShortcut } from '../shell/shortcuts.tsx'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { IconButton } from './button.tsx'
import { usePaneHeading } from './narrow.ts'
import './split.css'

interface SplitProps {
  children: ReactNode
  /** What was chosen; nothing while nothing is. */
  inspector?: ReactNode
  /** The inspector is what the page is about, and the list only leads to it. */
  wideInspector?: boolean
}

export function Split({ children, inspector, wideInspector }: SplitProps) {
  const look = `split ${inspector ? 'has-inspector' : ''} ${wideInspector ? 'wide' : ''}`
  return (
    <div className={look}>
      <section className="split-list">{children}</section>
      {inspector}
    </div>
  )
}

interface InspectorProps {
  title: ReactNode
  /** A line below the title. */
  about?: ReactNode
  actions?: ReactNode
  onClose(): void
  children: ReactNode
}

export function Inspector({ title, about, actions, onClose, children }: InspectorProps) {
  const words = useWords(common)
  const Heading = usePaneHeading()
  useShortcut('escape', words.close, onClose)
  return (
    <section className="split-inspector">
      <header className="split-head">
        <IconButton
          className="split-back"
          icon="back"
          label={words.back}
          small={false}
          onClick={onClose}
        />
        <div className="split-title">
          <Heading>{title}</Heading>
          {about && <p className="xs muted">{about}</p>}
        </div>
        {actions}
        <IconButton className="split-close" icon="x" label={words.close} onClick={onClose} />
      </header>
      <div className="split-body">{children}</div>
    </section>
  )
}
