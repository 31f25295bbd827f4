// Whether the page has a phone's width: one pane at a time, and a bar at the bottom.
import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 799px)')

/** Where only one pane is seen, its own title is the page's. */
export const usePaneHeading = () => (useIsNarrow() ? 'h1' : 'h2')

export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (tell) => {
      narrow.addEventListener('change', tell)
      return () => narrow.removeEventListener('change', tell)
    },
    () => narrow.matches,
  )
}
