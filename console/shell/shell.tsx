// The frame around every view: rail, tenant, live pill, who is signed in.
import { Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../api/session.tsx'
import { Avatar } from '../parts/basics.tsx'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuChoice, MenuItem } from '../parts/menu.tsx'
import { Empty, Skeleton } from '../parts/states.tsx'
import { type Language, languages, useLanguage, useWords } from '../words/language.tsx'
import { LivePill, LiveProvider } from './live.tsx'
import { usePlace, ViewLink } from './place.tsx'
import { ShortcutHelp, useShortcut } from './shortcuts.tsx'
import { TenantProvider, useShownTenant } from './tenant.tsx'
import { TenantSwitcher } from './tenant-switcher.tsx'
import { chooseTheme, useTheme } from './theme.ts'
import { type View, views } from './views.ts'
import { shellWords } from './words.ts'
import './shell.css'

export function Shell({ onRefused }: { onRefused(): void }) {
  const words = useWords(shellWords)
  const view = useView()
  const { may } = useSession()
  const tenant = useShownTenant(view?.takesAll ?? false)
  useEffect(() => {
    document.title = view ? `${words.views[view.name]} · Estafet` : 'Estafet'
  }, [view, words])
  if (tenant === undefined) return <Skeleton lines={6} />
  const isAllowed = view !== undefined && may(view.needs)
  const needsTenant = tenant === 'none' && view?.name !== 'tenants'
  return (
    <TenantProvider tenant={tenant === 'none' ? { id: null, name: '' } : tenant}>
      <LiveProvider onRefused={onRefused}>
        <div className="app">
          <a className="skip" href="#content">
            {words.skip}
          </a>
          <Rail />
          <TopBar />
          <main className="main" id="content" tabIndex={-1}>
            {needsTenant ? (
              <Empty title={words.noTenants}>{words.noTenantsText}</Empty>
            ) : isAllowed || view === undefined ? (
              <Outlet />
            ) : (
              <Empty title={words.notForYou}>{words.notForYouText}</Empty>
            )}
          </main>
        </div>
      </LiveProvider>
    </TenantProvider>
  )
}

/** Which view the address belongs to. */
function useView(): View | undefined {
  const { pathname } = useLocation()
  const [, first = ''] = pathname.split('/')
  return views.find(({ path }) => path.split('/')[0] === first)
}

function Rail() {
  const words = useWords(shellWords)
  const { may } = useSession()
  const current = useView()
  return (
    <nav className="rail" aria-label={words.main}>
      <span className="rail-logo">
        <svg width="28" height="28" viewBox="0 0 28 28" role="img" aria-label="Estafet">
          <title>Estafet</title>
          <rect width="28" height="28" rx="7" fill="var(--accent)" />
          <path
            d="m7.5 18.5 6-9M14.5 18.5l6-9"
            stroke="var(--on-accent)"
            strokeWidth="3"
            strokeLinecap="round"
          />
        </svg>
      </span>
      {views
        .filter(({ needs }) => may(needs))
        .map((view) => (
          <RailLink key={view.name} view={view} isCurrent={view === current} />
        ))}
    </nav>
  )
}

function RailLink({ view, isCurrent }: { view: View; isCurrent: boolean }) {
  const words = useWords(shellWords)
  const { go } = usePlace()
  const [to = ''] = view.path.split('/')
  const name = words.views[view.name]
  useShortcut(
    `g ${view.key}`,
    words.goTo(name),
    view.key === undefined ? undefined : () => go(`/${to}`),
  )
  return (
    <ViewLink to={`/${to}`} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={view.icon} size={20} />
      {name}
    </ViewLink>
  )
}

function TopBar() {
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
        <TenantSwitcher takesAll={view?.takesAll ?? false} />
      )}
      <div className="topbar-tools">
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

function PersonMenu() {
  const words = useWords(shellWords)
  const { person, signOut, signOutEverywhere } = useSession()
  const { language, choose } = useLanguage()
  const { chosen } = useTheme()
  return (
    <Menu
      label={words.you}
      button={(press) => (
        <button
          type="button"
          className="btn ghost sm square"
          aria-label={`${words.you}: ${person.name}`}
          {...press}
        >
          <Avatar name={person.name} size={24} />
        </button>
      )}
    >
      {(close) => (
        <>
          <div className="menu-title">
            <b className="strong">{person.name}</b>
            <br />
            {person.email} · {words.roles[person.role]}
          </div>
          <hr />
          <div className="menu-title">{words.language}</div>
          {(Object.keys(languages) as Language[]).map((one) => (
            <MenuChoice
              key={one}
              isChosen={one === language}
              lang={one}
              onClick={() => choose(one)}
            >
              {languages[one]}
            </MenuChoice>
          ))}
          <hr />
          <div className="menu-title">{words.theme}</div>
          {(['system', 'light', 'dark'] as const).map((one) => (
            <MenuChoice key={one} isChosen={one === chosen} onClick={() => chooseTheme(one)}>
              {words.themes[one]}
            </MenuChoice>
          ))}
          <hr />
          <MenuItem
            onClick={() => {
              close()
              void signOut()
            }}
          >
            <Icon name="leave" /> {words.signOut}
          </MenuItem>
          <MenuItem
            onClick={() => {
              close()
              void signOutEverywhere()
            }}
          >
            <Icon name="leave" /> {words.signOutEverywhere}
          </MenuItem>
        </>
      )}
    </Menu>
  )
}
