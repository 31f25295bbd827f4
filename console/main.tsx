// The console's page: a React application that talks to the gateway's own API, and to nobody else.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme } from './shell/theme.ts'
import '@fontsource-variable/inter/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './parts/parts.css'

applyTheme()
const place = document.getElementById('console')
if (!place) throw new Error('bug: the page has no place for the console')
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
