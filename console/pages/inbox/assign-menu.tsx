// Who takes care of a conversation: a menu of colleagues, oneself first.
import { type ReactNode, useState } from 'react'
import { useSession } from '../../api/session.tsx'
import type { Conversation } from '../../api/types.ts'
import { Avatar } from '../../parts/basics.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuChoice } from '../../parts/menu.tsx'
import { useWords } from '../../words/language.tsx'
import { useConversationActions } from './change.ts'
import { useColleagues } from './people.ts'
import { inboxWords } from './words.ts'

interface AssignMenuProps {
  conversation: Conversation
  button(press: Parameters<Parameters<typeof Menu>[0]['button']>[0]): ReactNode
}

const findAbove = 8

export function AssignMenu({ conversation, button }: AssignMenuProps) {
  const words = useWords(inboxWords)
  return (
    <Menu label={words.assign} button={button}>
      {(close) => <Choices conversation={conversation} onChosen={close} />}
    </Menu>
  )
}

function Choices({ conversation, onChosen }: { conversation: Conversation; onChosen(): void }) {
  const words = useWords(inboxWords)
  const { person, ownTenant } = useSession()
  const { assign } = useConversationActions()
  const { data: colleagues = [], isSuccess } = useColleagues()
  const [sought, setSought] = useState('')
  const others = colleagues.filter(({ id }) => id !== person.id)
  const found = others.filter(({ name }) => name.toLowerCase().includes(sought.toLowerCase()))
  const choose = (to: { id: string; name: string } | undefined) => {
    onChosen()
    assign(conversation, to)
  }
  return (
    <>
      {others.length > findAbove && (
        <div className="tenant-find">
          <input
            className="control"
            aria-label={words.findColleague}
            placeholder={words.findColleague}
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        </div>
      )}
      {/* Operators belong to no firm, and conversations only to its own people. */}
      {ownTenant && (
        <MenuChoice
          isChosen={conversation.assigned_user_id === person.id}
          onClick={() => choose(person)}
        >
          <Avatar name={person.name} size={20} />
          <span className="cut">{words.me(person.name)}</span>
        </MenuChoice>
      )}
      <MenuChoice
        isChosen={conversation.assigned_user_id === null}
        onClick={() => choose(undefined)}
      >
        <Icon name="people" />
        {words.nobody}
      </MenuChoice>
      <hr />
      {found.map((colleague) => (
        <MenuChoice
          key={colleague.id}
          isChosen={conversation.assigned_user_id === colleague.id}
          onClick={() => choose(colleague)}
        >
          <Avatar name={colleague.name} size={20} />
          <span className="cut">{colleague.name}</span>
        </MenuChoice>
      ))}
      {isSuccess && found.length === 0 && (
        <div className="menu-title">{sought ? words.noColleague : words.noColleagues}</div>
      )}
    </>
  )
}
