// After going to another view, those who do not see it are taken to its heading.
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

export function useHeadingFocus(): void {
  // Where the page has come to: while a view is on its way, the one before is still shown.
  const view = useRouterState({
    select: ({ resolvedLocation }) => resolvedLocation?.pathname.split('/')[1],
  })
  const before = useRef(view)
  useEffect(() => {
    const isFirst = before.current === undefined
    if (before.current === view) return
    before.current = view
    if (isFirst) return
    const main = document.getElementById('content')
    // A view that put the focus somewhere itself knows better.
    const isTaken = () => main !== document.activeElement && main?.contains(document.activeElement)
    if (!main || isTaken()) return
    main.focus({ preventScroll: true })
    const look = () => {
      const heading = main.querySelector<HTMLElement>('h1')
      if (heading && !isTaken()) {
        heading.tabIndex = -1
        heading.focus({ preventScroll: true })
      }
      if (heading) coming.disconnect()
    }
    // A view is loaded when it is wanted, and its heading comes with it.
    const coming = new MutationObserver(look)
    coming.observe(main, { childList: true, subtree: true })
    look()
    return () => coming.disconnect()
  }, [view])
}
