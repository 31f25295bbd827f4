// For operators: whose data the page shows.
import { useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuChoice } from '../parts/menu.tsx'
import { useWords } from '../words/language.tsx'
import { usePlace } from './place.tsx'
import { rememberTenant, useTenant, useTenants } from './tenant.tsx'
import { shellWords } from './words.ts'

/** More than these are found by name. */
const shownAtOnce = 50

/** `isUnknown`: the address names none of them. */
export function TenantSwitcher({ takesAll, isUnknown }: { takesAll: boolean; isUnknown: boolean }) {
  const words = useWords(shellWords)
  const tenant = useTenant()
  const { data: tenants = [] } = useTenants()
  const { ask } = usePlace()
  const [sought, setSought] = useState('')
  const choose = (id: string | null) => {
    rememberTenant(id)
    ask({ tenant: id ?? undefined }, { replace: false })
  }
  const found = tenants.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()))
  return (
    <Menu
      label={words.chooseTenant}
      button={(press) => (
        <button type="button" className="tenant-switch" {...press}>
          <span className="cut">
            {isUnknown ? words.chooseTenant : tenant.id === null ? words.allTenants : tenant.name}
          </span>
          <Icon name="down" />
        </button>
      )}
    >
      {(close) => (
        <>
          {tenants.length > 8 && (
            <div className="tenant-find">
              <input
                className="control"
                aria-label={words.findTenant}
                placeholder={words.findTenant}
                value={sought}
                onChange={(event) => setSought(event.target.value)}
              />
            </div>
          )}
          {takesAll && (
            <MenuChoice
              isChosen={tenant.id === null && !isUnknown}
              onClick={() => {
                close()
                choose(null)
              }}
            >
              {words.allTenants}
            </MenuChoice>
          )}
          {found.slice(0, shownAtOnce).map(({ id, name }) => (
            <MenuChoice
              key={id}
              isChosen={id === tenant.id}
              onClick={() => {
                close()
                choose(id)
              }}
            >
              <span className="cut">{name}</span>
            </MenuChoice>
          ))}
          {found.length === 0 && <div className="menu-title">{words.noTenantFound}</div>}
        </>
      )}
    </Menu>
  )
}
