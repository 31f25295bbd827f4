// The way from view to view: at the left, or at the bottom of a phone, where what does not fit is behind "More".
import { useLocation } from '@tanstack/react-router'
import { useSession } from '../api/session.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import { useIsNarrow } from '../parts/narrow.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { usePlace, ViewLink } from './place.tsx'
import { useShortcut } from './shortcuts.tsx'
import { useTenant } from './tenant.tsx'
import { type View, views } from './views.ts'
import { shellWords } from './words.ts'

/** On a phone, with "More" beside them. */
const shownOnPhone = 4

/** Which view the address belongs to. */
export function useView(): View | undefined {
  const { pathname } = useLocation()
  const [, first = ''] = pathname.split('/')
  return views.find((view) => startOf(view) === first)
}

const startOf = ({ path }: View) => path.split('/')[0] ?? ''

export function Rail() {
  const words = useWords(shellWords)
  const { may } = useSession()
  const isNarrow = useIsNarrow()
  const current = useView()
  const known = views.filter(({ needs }) => may(needs))
  const isCut = isNarrow && known.length > shownOnPhone + 1
  const shown = isCut ? known.slice(0, shownOnPhone) : known
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
      {shown.map((view) => (
        <RailLink key={view.name} view={view} isCurrent={view === current} />
      ))}
      {isCut && <RailMore rest={known.slice(shownOnPhone)} current={current} />}
    </nav>
  )
}

/** Where somebody chose no tenant, a view of all of them shows all of them again. */
function useWayTo(view: View): { to: string; search: { tenant?: undefined } } {
  const { isDefault } = useTenant()
  return {
    to: `/${startOf(view)}`,
    search: isDefault && view.takesAll ? { tenant: undefined } : {},
  }
}

const noMark = () => undefined

function RailLink({ view, isCurrent }: { view: View; isCurrent: boolean }) {
  const words = useWords(shellWords)
  const { go } = usePlace()
  const { to, search } = useWayTo(view)
  const name = words.views[view.name]
  const mark = (view.useMark ?? noMark)()
  useShortcut(
    `g ${view.key}`,
    words.goTo(name),
    view.key === undefined ? undefined : () => go(to, search),
  )
  return (
    <ViewLink to={to} search={search} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={view.icon} size={20} />
      {name}
      {mark && (
        <span className={`rail-mark num ${mark.tone} ${mark.count > 99 ? 'long' : ''}`}>
          {mark.count > 99 ? '99+' : mark.count}
          <span className="sr"> {words.waiting}</span>
        </span>
      )}
    </ViewLink>
  )
}

function RailMore({ rest, current }: { rest: View[]; current: View | undefined }) {
  const words = useWords(common)
  const hidden = rest.find((view) => view === current)
  return (
    <Menu
      label={words.more}
      button={(press) => (
        <button type="button" className="rail-more" data-current={hidden !== undefined} {...press}>
          <Icon name="more" size={20} />
          {words.more}
        </button>
      )}
    >
      {(close) =>
        rest.map((view) => (
          <RailItem key={view.name} view={view} isCurrent={view === current} onGone={close} />
        ))
      }
    </Menu>
  )
}

function RailItem({ view, isCurrent, onGone }: { view: View; isCurrent: boolean; onGone(): void }) {
  const words = useWords(shellWords)
  return (
    <ViewLink
      {...useWayTo(view)}
      role="menuitem"
      tabIndex={-1}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onGone}
    >
      <Icon name={view.icon} />
      {words.views[view.name]}
    </ViewLink>
  )
}
