// The frame around every view: rail, tenant, live pill, who is signed in.
import { Outlet } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../api/session.tsx'
import { IconButton } from '../parts/button.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { useWords } from '../words/language.tsx'
import { Find } from './find.tsx'
import { useHeadingFocus } from './focus.ts'
import { LivePill, LiveProvider } from './live.tsx'
import { PersonMenu, SimulatorLinks } from './person-menu.tsx'
import { usePlace, ViewLink } from './place.tsx'
import { Rail, useView } from './rail.tsx'
import { ShortcutHelp } from './shortcuts.tsx'
import { type Shown, TenantProvider, useShownTenant } from './tenant.tsx'
import { TenantSwitcher } from './tenant-switcher.tsx'
import { chooseTheme, useTheme } from './theme.ts'
import { shellWords } from './words.ts'
import './shell.css'

const nobody = { id: null, name: '' }

export function Shell({ onRefused }: { onRefused(): void }) {
  const words = useWords(shellWords)
  const view = useView()
  const shown = useShownTenant(view?.takesAll ?? false)
  const tenant = shown.kind === 'shown' ? shown.tenant : nobody
  useNamedTenant(tenant.id)
  useHeadingFocus()
  useEffect(() => {
    document.title = view ? `${words.views[view.name]} · Estafet` : 'Estafet'
  }, [view, words])
  if (shown.kind === 'looking') return <Skeleton lines={6} />
  return (
    <TenantProvider tenant={tenant}>
      <LiveProvider onRefused={onRefused}>
        <div className="app">
          <a className="skip" href="#content">
            {words.skip}
          </a>
          <Rail />
          <TopBar isUnknown={shown.kind === 'unknown'} />
          <main className="main" id="content" tabIndex={-1}>
            <Content shown={shown} />
          </main>
        </div>
      </LiveProvider>
    </TenantProvider>
  )
}

/** Whoever is given the address of what an operator sees gets to see the same tenant. */
function useNamedTenant(id: string | null): void {
  const { ownTenant } = useSession()
  const { search, ask } = usePlace()
  const isSilent = !ownTenant && id !== null && search.tenant === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: said once.
  useEffect(() => {
    if (isSilent) ask({ tenant: id })
  }, [isSilent, id])
}

function Content({ shown }: { shown: Shown }) {
  const words = useWords(shellWords)
  const view = useView()
  const { may } = useSession()
  if (view && !may(view.needs)) {
    return (
      <Empty
        heading="h1"
        title={words.notForYou}
        actions={
          <ViewLink className="btn" to="/">
            {words.toInbox}
          </ViewLink>
        }
      >
        {words.notForYouText}
      </Empty>
    )
  }
  if (shown.kind === 'trouble') return <Trouble error={shown.error} onRetry={shown.retry} />
  if (shown.kind === 'unknown') {
    return (
      <Empty
        heading="h1"
        title={words.unknownTenant}
        actions={
          <ViewLink className="btn" to="/" search={{ tenant: undefined }}>
            {words.toAll}
          </ViewLink>
        }
      >
        {words.unknownTenantText}
      </Empty>
    )
  }
  if (shown.kind === 'none') {
    return (
      <Empty
        heading="h1"
        title={words.noTenants}
        actions={
          <ViewLink className="btn primary" to="/tenants" search={{ new: '1' }}>
            {words.createTenant}
          </ViewLink>
        }
      >
        {words.noTenantsText}
      </Empty>
    )
  }
  return <Outlet />
}

function TopBar({ isUnknown }: { isUnknown: boolean }) {
  const words = useWords(shellWords)
  const { ownTenant } = useSession()
  const { isDark } = useTheme()
  const view = useView()
  const [isHelping, setHelping] = useState(false)
  return (
    <header className="topbar">
      {ownTenant ? (
        <b className="strong cut">{ownTenant.name}</b>
      ) : (
        <TenantSwitcher takesAll={view?.takesAll ?? false} isUnknown={isUnknown} />
      )}
      <div className="topbar-tools">
        <Find />
        <SimulatorLinks />
        <LivePill />
        <IconButton
          icon={isDark ? 'sun' : 'moon'}
          label={isDark ? words.switchToLight : words.switchToDark}
          onClick={() => chooseTheme(isDark ? 'light' : 'dark')}
        />
        <button
          type="button"
          className="btn ghost sm square wide-only"
          aria-label={words.shortcuts}
          title={words.shortcuts}
          onClick={() => setHelping(true)}
        >
          <kbd>?</kbd>
        </button>
        <PersonMenu />
      </div>
      <ShortcutHelp
        isOpen={isHelping}
        onOpen={() => setHelping(true)}
        onClose={() => setHelping(false)}
      />
    </header>
  )
}
