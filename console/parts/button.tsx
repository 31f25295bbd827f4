// Buttons: verb first, one primary per region, "…" when a dialog follows.
import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  look?: 'plain' | 'primary' | 'ghost' | 'danger'
  small?: boolean
  icon?: IconName
  /** Something is under way: the same press again would do it twice. */
  busy?: boolean
  children: ReactNode
}

export function Button({
  look = 'plain',
  small,
  icon,
  busy,
  children,
  className = '',
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`btn ${look} ${small ? 'sm' : ''} ${className}`}
      aria-busy={busy}
      aria-disabled={busy || rest.disabled || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {icon && <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  )
}

/** An icon alone; the label is for those who do not see it, and for hovering. */
export function IconButton({
  icon,
  label,
  look = 'ghost',
  small = true,
  className = '',
  ...rest
}: Omit<ComponentProps<'button'>, 'children'> & {
  icon: IconName
  label: string
  look?: 'plain' | 'ghost' | 'primary'
  small?: boolean
}) {
  return (
    <button
      type="button"
      className={`btn square ${look} ${small ? 'sm' : ''} ${className}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  )
}
