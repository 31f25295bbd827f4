// Light or dark: what the system says, unless the person said otherwise.
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const storageKey = 'estafet.theme'
const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
const watchers = new Set<() => void>()

function chosenTheme(): Theme {
  const kept = localStorage.getItem(storageKey)
  return kept === 'light' || kept === 'dark' ? kept : 'system'
}

export function applyTheme(): void {
  const chosen = chosenTheme()
  const isDark = chosen === 'system' ? systemIsDark.matches : chosen === 'dark'
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const tell of watchers) tell()
}
systemIsDark.addEventListener('change', applyTheme)

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme)
  applyTheme()
}

export function useTheme(): { chosen: Theme; isDark: boolean } {
  const shown = useSyncExternalStore(
    (tell) => {
      watchers.add(tell)
      return () => watchers.delete(tell)
    },
    () => `${chosenTheme()} ${document.documentElement.dataset.theme}`,
  )
  const [chosen, now] = shown.split(' ')
  return { chosen: chosen as Theme, isDark: now === 'dark' }
}
