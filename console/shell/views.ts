// Every view: its address, who may see it, and its place in the rail. The server checks again, always.
import type { ComponentType } from 'react'
import type { Role } from '../api/session.tsx'
import type { IconName } from '../parts/icon.tsx'
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
  load(): Promise<{ Page: ComponentType }>
}

/** In the order of the rail. */
export const views: View[] = []
