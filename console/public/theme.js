// Before anything is painted, so that nobody who chose dark sees a white page first. The rest is in shell/theme.ts.
const chosen = localStorage.getItem('estafet.theme')
const isDark =
  chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
