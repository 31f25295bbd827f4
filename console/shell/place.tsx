// Where the person is, and going elsewhere: every view and every choice in it has an address of its own.
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

export type Search = Record<string, string | undefined>

/** Addresses carry plain words, as people would write them. */
export const parseSearch = (text: string): Search => Object.fromEntries(new URLSearchParams(text))

export function stringifySearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

export function usePlace() {
  const navigate = useNavigate()
  const search = useSearch({ strict: false }) as Search
  const params = useParams({ strict: false }) as Search
  return {
    search,
    params,
    /** Changes what is asked for, and stays. Without a new step for the back button where `replace`. */
    ask: (changes: Search, { replace = true } = {}) =>
      void navigate({ to: '.', search: (before: Search) => ({ ...before, ...changes }), replace }),
    /** To another view, for the same tenant. `path` as in `/inbox/cnv_…`. */
    go: (path: string, wanted: Search = {}, { replace = false } = {}) =>
      void navigate({
        to: path,
        search: ({ tenant }: Search) => ({ tenant, ...wanted }),
        replace,
      }),
  }
}

interface ViewLinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  to: string
  search?: Search
  children: ReactNode
}

/** A link to another view, for the same tenant. */
export function ViewLink({ to, search: wanted, ...rest }: ViewLinkProps) {
  return (
    <Link to={to} search={({ tenant }: Search) => ({ tenant, ...wanted })} {...(rest as object)} />
  )
}
