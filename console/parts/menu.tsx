// A button with a menu below it. In the browser's top layer, so that nothing cuts it off.
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { Icon } from './icon.tsx'

interface MenuProps {
  /** What is pressed; the menu adds what makes it a menu's button. */
  button(press: {
    'aria-haspopup': 'menu'
    'aria-expanded': boolean
    'aria-controls': string
    onClick(): void
  }): ReactNode
  label: string
  /** `close` is for items that end the menu by themselves. */
  children(close: () => void): ReactNode
}

export function Menu({ button, label, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const holder = useRef<HTMLSpanElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const id = useId()

  const close = () => {
    setOpen(false)
    holder.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus()
  }
  useEffect(() => {
    const shown = menu.current
    const place = holder.current?.getBoundingClientRect()
    if (!isOpen || !shown || !place) return
    shown.showPopover()
    const { width, height } = shown.getBoundingClientRect()
    const below = place.bottom + 4
    const top = below + height > innerHeight - 8 ? Math.max(8, place.top - height - 4) : below
    shown.style.top = `${top}px`
    shown.style.left = `${Math.max(8, Math.min(place.left, innerWidth - width - 8))}px`
    const items = itemsOf(shown)
    const chosen = items.find((item) =>
      item.matches('[aria-checked="true"], [aria-selected="true"]'),
    )
    ;(shown.querySelector<HTMLElement>('input') ?? chosen ?? items[0])?.focus()
    const onOutside = (event: PointerEvent) => {
      if (!holder.current?.contains(event.target as Node)) setOpen(false)
    }
    addEventListener('pointerdown', onOutside, true)
    return () => removeEventListener('pointerdown', onOutside, true)
  }, [isOpen])

  function onKeyDown(event: KeyboardEvent): void {
    if (!menu.current) return
    const items = itemsOf(menu.current)
    const at = items.indexOf(document.activeElement as HTMLElement)
    const goTo = (index: number) => items[(index + items.length) % items.length]?.focus()
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') goTo(at + 1)
    else if (event.key === 'ArrowUp') goTo(at < 0 ? -1 : at - 1)
    else if (event.key === 'Home' && at >= 0) goTo(0)
    else if (event.key === 'End' && at >= 0) goTo(-1)
    else if (event.key === 'Tab') {
      setOpen(false)
      return
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <span className="menu-holder" ref={holder}>
      {button({
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        'aria-controls': id,
        onClick: () => setOpen(!isOpen),
      })}
      {isOpen && (
        <div
          ref={menu}
          id={id}
          className="menu"
          role="menu"
          aria-label={label}
          popover="manual"
          onKeyDown={onKeyDown}
          tabIndex={-1}
        >
          {children(close)}
        </div>
      )}
    </span>
  )
}

const itemsOf = (menu: HTMLElement) => [
  ...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]:not([aria-disabled="true"])'),
]

export function MenuItem({ className = '', ...rest }: ComponentProps<'button'>) {
  return <button type="button" role="menuitem" tabIndex={-1} className={className} {...rest} />
}

/** Holds or not. */
export function MenuCheck({
  isChecked,
  children,
  ...rest
}: ComponentProps<'button'> & { isChecked: boolean }) {
  return (
    <button type="button" role="menuitemcheckbox" aria-checked={isChecked} tabIndex={-1} {...rest}>
      <span className="menu-check" aria-hidden="true">
        {isChecked && <Icon name="check" size={14} />}
      </span>
      {children}
    </button>
  )
}

/** One of several, of which one holds. */
export function MenuChoice({
  isChosen,
  ...rest
}: ComponentProps<'button'> & { isChosen: boolean }) {
  return (
    <button type="button" role="menuitemradio" aria-checked={isChosen} tabIndex={-1} {...rest} />
  )
}
