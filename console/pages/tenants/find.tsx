// Finding tenants by name and state. The page knows all of them by name already.
import { useState } from 'react'
import type { Tenant } from '../../api/types.ts'
import { Segments } from '../../parts/basics.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { tenantsWords } from './words.ts'

/** More than these nobody reads through; they are found by name. */
const shownAtOnce = 100

export function useFoundTenants(tenants: Tenant[]) {
  const { search } = usePlace()
  const [limit, setLimit] = useState(shownAtOnce)
  const sought = (search.q ?? '').trim().toLowerCase()
  const found = tenants.filter(
    ({ name, slug, id, status }) =>
      (search.state === undefined || search.state === status) &&
      [name.toLowerCase(), slug, id].some((text) => text.includes(sought)),
  )
  return {
    found,
    shown: found.slice(0, limit),
    showMore: () => setLimit(limit + shownAtOnce),
  }
}

export function StateFilter({ tenants }: { tenants: Tenant[] }) {
  const words = useWords(tenantsWords)
  const format = useFormat()
  const { search, ask } = usePlace()
  const count = (status?: string) =>
    format.number(tenants.filter((one) => status === undefined || one.status === status).length)
  return (
    <Segments
      label={words.filter}
      choices={[
        { value: '', label: words.all, count: count() },
        { value: 'active', label: words.states.active, count: count('active') },
        { value: 'suspended', label: words.states.suspended, count: count('suspended') },
      ]}
      chosen={search.state ?? ''}
      onChoose={(state) => ask({ state: state || undefined })}
    />
  )
}
