// How much room there is, and whether the details are shown: beside the conversation by choice, over it by address.
import { useRef, useState, useSyncExternalStore } from 'react'
import { usePlace } from '../../shell/place.tsx'

const wide = matchMedia('(min-width: 1200px)')
const phone = matchMedia('(max-width: 799px)')

const useMedia = (media: MediaQueryList) =>
  useSyncExternalStore(
    (tell) => {
      media.addEventListener('change', tell)
      return () => media.removeEventListener('change', tell)
    },
    () => media.matches,
  )

export const useIsPhone = () => useMedia(phone)
export const useIsWide = () => useMedia(wide)

const storageKey = 'estafet.inbox-details'

/** Over the conversation they are a step of their own, which the back button undoes. */
export function useDetails() {
  const isWide = useIsWide()
  const { search, ask } = usePlace()
  const [isWanted, setWanted] = useState(() => localStorage.getItem(storageKey) !== 'hidden')
  const areShown = isWide ? isWanted : search.details === '1'
  const isOurStep = useRef(false)
  const show = (shown: boolean) => {
    if (!isWide) {
      const undoes = !shown && isOurStep.current
      isOurStep.current = shown
      if (undoes) return history.back()
      return ask({ details: shown ? '1' : undefined }, { replace: !shown })
    }
    localStorage.setItem(storageKey, shown ? 'shown' : 'hidden')
    setWanted(shown)
  }
  return {
    areShown,
    isWide,
    show: () => {
      if (!areShown) show(true)
    },
    hide: () => show(false),
    toggle: () => show(!areShown),
  }
}
