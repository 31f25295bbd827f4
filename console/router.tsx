// Addresses: one route for each view, below /console.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router'
import { mayBe, type Role } from './api/session.tsx'
import { Empty, Skeleton, Trouble } from './parts/states.tsx'
import { parseSearch, type Search, stringifySearch, ViewLink } from './shell/place.tsx'
import { Shell } from './shell/shell.tsx'
import { views } from './shell/views.ts'
import { shellWords } from './shell/words.ts'
import { useWords } from './words/language.tsx'

export function createConsoleRouter(role: Role, onRefused: () => void) {
  const root = createRootRoute({
    validateSearch: (search: Record<string, unknown>) => search as Search,
    component: () => <Shell onRefused={onRefused} />,
    notFoundComponent: NothingHere,
  })
  const first = views.find(
    (view) => mayBe(role, view.needs) && (role !== 'operator' || view.takesAll),
  )
  const home = createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: ({ search }) => {
      const [to] = (first ?? views[0])?.path.split('/') ?? []
      if (to) throw redirect({ to: `/${to}`, search, replace: true })
    },
    component: NothingHere,
  })
  const routes = views.map((view) =>
    createRoute({
      getParentRoute: () => root,
      path: view.path,
      component: lazyRouteComponent(view.load, 'Page'),
    }),
  )
  return createRouter({
    routeTree: root.addChildren([home, ...routes]),
    basepath: '/console',
    parseSearch,
    stringifySearch,
    defaultPendingComponent: () => <Skeleton lines={6} />,
    defaultErrorComponent: ({ error, reset }) => <Trouble error={error} onRetry={reset} />,
    defaultNotFoundComponent: NothingHere,
    defaultPreload: 'intent',
  })
}

function NothingHere() {
  const words = useWords(shellWords)
  return (
    <Empty
      heading="h1"
      title={words.nothingHere}
      actions={
        <ViewLink className="btn" to="/">
          {words.toInbox}
        </ViewLink>
      }
    >
      {words.nothingHereText}
    </Empty>
  )
}
