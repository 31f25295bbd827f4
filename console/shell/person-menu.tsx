// Who is signed in: how they want the page to be, their password, and leaving.
import { useState } from 'react'
import { useSession } from '../api/session.tsx'
import { ChangePassword } from '../pages/sign-in/change-password.tsx'
import { Avatar } from '../parts/basics.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck, MenuChoice, MenuItem } from '../parts/menu.tsx'
import { useToasts } from '../parts/toast.tsx'
import { type Language, languages } from '../words/define.ts'
import { useLanguage, useWords } from '../words/language.tsx'
import { setSingleKeys, useSingleKeys } from './shortcuts.tsx'
import { chooseTheme, useTheme } from './theme.ts'
import { shellWords } from './words.ts'

export function PersonMenu() {
  const words = useWords(shellWords)
  const { person, simulatorUrl, signOut, signOutEverywhere } = useSession()
  const { complain } = useToasts()
  const [isChanging, setChanging] = useState(false)
  return (
    <>
      <Menu
        label={words.you}
        button={(press) => (
          <button type="button" className="btn ghost sm square person-button" {...press}>
            <Avatar name={person.name} size={24} />
            <span className="sr">
              {words.you}: {person.name}
            </span>
          </button>
        )}
      >
        {(close) => {
          const doing = (act: () => unknown) => () => {
            close()
            void Promise.resolve(act()).catch(complain)
          }
          return (
            <>
              <div className="menu-title">
                <b className="strong">{person.name}</b>
                <br />
                {person.email} · {words.roles[person.role]}
              </div>
              <hr />
              <Preferences />
              <hr />
              {simulatorUrl && <Simulator url={simulatorUrl} />}
              <MenuItem onClick={doing(() => setChanging(true))}>
                <Icon name="lock" /> {words.changePassword}
              </MenuItem>
              <MenuItem onClick={doing(signOut)}>
                <Icon name="leave" /> {words.signOut}
              </MenuItem>
              <MenuItem onClick={doing(signOutEverywhere)}>
                <Icon name="leave" /> {words.signOutEverywhere}
              </MenuItem>
            </>
          )
        }}
      </Menu>
      {isChanging && <ChangePassword onClose={() => setChanging(false)} />}
    </>
  )
}

function Preferences() {
  const words = useWords(shellWords)
  const { language, choose } = useLanguage()
  const { chosen } = useTheme()
  const areKeysOn = useSingleKeys()
  return (
    <>
      <div className="menu-title">{words.language}</div>
      <div role="group" className="menu-grid" aria-label={words.language}>
        {(Object.keys(languages) as Language[]).map((one) => (
          <MenuChoice key={one} isChosen={one === language} lang={one} onClick={() => choose(one)}>
            {languages[one]}
          </MenuChoice>
        ))}
      </div>
      <div className="menu-title">{words.theme}</div>
      <div role="group" className="menu-grid thirds" aria-label={words.theme}>
        {(['system', 'light', 'dark'] as const).map((one) => (
          <MenuChoice key={one} isChosen={one === chosen} onClick={() => chooseTheme(one)}>
            {words.themes[one]}
          </MenuChoice>
        ))}
      </div>
      <MenuCheck
        className="wide-only"
        isChecked={areKeysOn}
        onClick={() => setSingleKeys(!areKeysOn)}
      >
        {words.singleKeysShort}
      </MenuCheck>
    </>
  )
}

const away = { target: '_blank', rel: 'noreferrer' }
const places = (url: string) => ({ phone: `${url}/phone`, faults: `${url}/phone#panel` })

/** Under `dev`, one click away wherever there is room: what customers do, and what Meta does wrong. */
export function SimulatorLinks() {
  const words = useWords(shellWords)
  const { simulatorUrl } = useSession()
  if (!simulatorUrl) return null
  const { phone, faults } = places(simulatorUrl)
  return (
    <>
      <a href={phone} {...away} className="btn ghost sm wide-only" title={words.customerPhone}>
        <Icon name="phone" /> <span className="shell-roomy">{words.customerPhone}</span>
      </a>
      <a href={faults} {...away} className="btn ghost sm wide-only" title={words.misbehave}>
        <Icon name="bolt" /> <span className="shell-roomy">{words.misbehave}</span>
      </a>
    </>
  )
}

/** The same in the menu, for a phone. */
function Simulator({ url }: { url: string }) {
  const words = useWords(shellWords)
  const { phone, faults } = places(url)
  const item = { ...away, role: 'menuitem', tabIndex: -1 }
  return (
    <>
      <a href={phone} {...item}>
        <Icon name="phone" /> {words.customerPhone} <Icon name="external" className="push muted" />
      </a>
      <a href={faults} {...item}>
        <Icon name="bolt" /> {words.misbehave} <Icon name="external" className="push muted" />
      </a>
      <hr />
    </>
  )
}
