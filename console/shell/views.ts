// Every view: its address, who may see it, and its place in the rail. The server checks again, always.
import type { ComponentType } from 'react'
import type { Role } from '../api/session.tsx'
import { useLettersMark } from '../pages/dead-letters/mark.ts'
import { useInboxMark } from '../pages/inbox/mark.ts'
import type { IconName } from '../parts/icon.tsx'
import type { Mark } from './mark.ts'
import type { shellWords } from './words.ts'

export interface View {
  name: keyof (typeof shellWords)['en']['views']
  /** Of the router; `{-$id}` is there or not. */
  path: string
  icon: IconName
  needs: Role
  /** `G` and then this key. */
  key?: string
  /** An operator may look at all tenants at once here. */
  takesAll?: boolean
  /** A hook: how much waits there, if anything does. */
  useMark?(): Mark | undefined
  load(): Promise<{ Page: ComponentType }>
}

/** In the order of the rail. */
export const views: View[] = [
  {
    name: 'inbox',
    path: 'inbox/{-$id}',
    icon: 'inbox',
    needs: 'agent',
    key: 'i',
    useMark: useInboxMark,
    load: () => import('../pages/inbox/page.tsx'),
  },
  {
    name: 'overview',
    path: 'overview',
    icon: 'activity',
    needs: 'admin',
    key: 'o',
    takesAll: true,
    load: () => import('../pages/overview/page.tsx'),
  },
  {
    name: 'deadLetters',
    path: 'dead-letters/{-$id}',
    icon: 'dead',
    needs: 'admin',
    key: 'd',
    takesAll: true,
    useMark: useLettersMark,
    load: () => import('../pages/dead-letters/page.tsx'),
  },
  {
    name: 'accounts',
    path: 'accounts/{-$id}',
    icon: 'phone',
    needs: 'admin',
    key: 'a',
    load: () => import('../pages/accounts/page.tsx'),
  },
  {
    name: 'templates',
    path: 'templates/{-$id}',
    icon: 'template',
    needs: 'agent',
    load: () => import('../pages/templates/page.tsx'),
  },
  {
    name: 'events',
    path: 'events/{-$id}',
    icon: 'plug',
    needs: 'admin',
    load: () => import('../pages/events/page.tsx'),
  },
  {
    name: 'alerts',
    path: 'alerts',
    icon: 'bell',
    needs: 'admin',
    takesAll: true,
    load: () => import('../pages/alerts/page.tsx'),
  },
  {
    name: 'trace',
    path: 'trace',
    icon: 'trace',
    needs: 'admin',
    takesAll: true,
    load: () => import('../pages/trace/page.tsx'),
  },
  {
    name: 'audit',
    path: 'audit',
    icon: 'shield',
    needs: 'admin',
    takesAll: true,
    load: () => import('../pages/audit/page.tsx'),
  },
  {
    name: 'people',
    path: 'people',
    icon: 'people',
    needs: 'admin',
    takesAll: true,
    load: () => import('../pages/people/page.tsx'),
  },
  {
    name: 'tenants',
    path: 'tenants/{-$id}',
    icon: 'tenants',
    needs: 'operator',
    takesAll: true,
    load: () => import('../pages/tenants/page.tsx'),
  },
]
