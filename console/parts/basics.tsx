// Small marks and fields: avatars, badges, states, labelled fields, segments, tabs.
import { type ReactNode, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'accent' | 'plain'

/** A picture of a name, drawn by the style sheet: for those who listen the name itself stands beside it. */
export function Avatar({ name, size = 32 }: { name: string; size?: 20 | 24 | 32 | 40 }) {
  return <span className={`avatar s${size}`} aria-hidden="true" data-initials={initialsOf(name)} />
}

export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
  return (
    letters
      .map((word) => [...(word?.replace(/[^\p{L}]/gu, '') ?? '')][0] ?? '')
      .join('')
      .toUpperCase() || '#'
  )
}

export function Badge({
  tone = 'plain',
  icon,
  children,
}: {
  tone?: Tone
  icon?: IconName
  children: ReactNode
}) {
  return (
    <span className={`badge ${tone}`}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </span>
  )
}

/** Circle: fine. Diamond: look. Square: act. */
export function State({
  tone,
  children,
}: {
  tone: 'ok' | 'warn' | 'bad' | 'plain'
  children: ReactNode
}) {
  return <span className={`state ${tone}`}>{children}</span>
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  problem?: string | undefined
  /** Gets what ties the field to its label and its words. */
  children(tied: {
    id: string
    'aria-describedby': string | undefined
    'aria-invalid': boolean
  }): ReactNode
}

export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId()
  const words = problem ?? hint
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': words === undefined ? undefined : `${id}-hint`,
        'aria-invalid': problem !== undefined,
      })}
      {words !== undefined && (
        <div id={`${id}-hint`} className={problem === undefined ? 'hint' : 'hint bad'}>
          {words}
        </div>
      )}
    </div>
  )
}

interface Choice<Value> {
  value: Value
  label: ReactNode
  count?: number | string | undefined
}

/** A few choices of which one holds. */
export function Segments<Value extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  label: string
  choices: Choice<Value>[]
  chosen: Value
  onChoose(value: Value): void
}) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map(({ value, label: words, count }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {words} {count !== undefined && <b className="num">{count}</b>}
        </button>
      ))}
    </div>
  )
}

/** The panel below says `role="tabpanel"` and is named by the chosen tab. */
export function Tabs<Value extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  label: string
  choices: Choice<Value>[]
  chosen: Value
  onChoose(value: Value): void
}) {
  const step = (by: number) => {
    const at = choices.findIndex(({ value }) => value === chosen)
    const next = choices[(at + by + choices.length) % choices.length]
    if (!next) return
    onChoose(next.value)
    document.getElementById(`tab-${next.value}`)?.focus()
  }
  return (
    <div
      className="tabs"
      role="tablist"
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === 'ArrowRight') step(1)
        if (event.key === 'ArrowLeft') step(-1)
      }}
    >
      {choices.map(({ value, label: words, count }) => (
        <button
          key={value}
          id={`tab-${value}`}
          type="button"
          role="tab"
          aria-selected={value === chosen}
          tabIndex={value === chosen ? 0 : -1}
          onClick={() => onChoose(value)}
        >
          {words} {count !== undefined && <span className="num muted">{count}</span>}
        </button>
      ))}
    </div>
  )
}
