// A dialog over the page: the browser's own, which holds the focus and gives it back.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { IconButton } from './button.tsx'

const firstField =
  '.dialog-body :is(input:not([readonly], [hidden], [type="checkbox"]), textarea, select)'

interface DialogProps {
  title: ReactNode
  onClose(): void
  wide?: boolean
  /** Buttons below. */
  foot?: ReactNode
  /** It cannot be left, only answered. */
  isFixed?: boolean
  /** Makes the whole a form, so that Enter sends it. */
  onSubmit?(): void
  children: ReactNode
}

export function Dialog({
  title,
  onClose,
  wide,
  foot,
  isFixed = false,
  onSubmit,
  children,
}: DialogProps) {
  const own = useRef<HTMLDialogElement>(null)
  const id = useId()
  const words = useWords(common)
  useEffect(() => {
    const dialog = own.current
    const before = document.activeElement
    if (dialog && !dialog.open) {
      dialog.showModal()
      // What is asked for, not the button that leaves.
      const asked = dialog.querySelector<HTMLElement>('[data-autofocus]')
      ;(asked ?? dialog.querySelector<HTMLElement>(firstField))?.focus()
    }
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const inside = (
    <>
      <div className="dialog-head">
        <h2 id={id}>{title}</h2>
        {!isFixed && <IconButton icon="x" label={words.close} onClick={onClose} />}
      </div>
      <div className="dialog-body">{children}</div>
      {foot && <div className="dialog-foot">{foot}</div>}
    </>
  )
  return (
    <dialog
      ref={own}
      className={`dialog ${wide ? 'wide' : ''}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        if (!isFixed) onClose()
      }}
    >
      {onSubmit ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            onSubmit()
          }}
        >
          {inside}
        </form>
      ) : (
        inside
      )}
    </dialog>
  )
}
