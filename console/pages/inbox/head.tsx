// The head of a conversation: who it is, how it stands, and what can be done with it.
import { useRef } from 'react'
import { useSession } from '../../api/session.tsx'
import type { Conversation } from '../../api/types.ts'
import { Avatar } from '../../parts/basics.tsx'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { useNow } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { useShortcut } from '../../shell/shortcuts.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { AssignMenu } from './assign-menu.tsx'
import { useConversationActions } from './change.ts'
import { useIsPhone } from './frame.ts'
import { contactName } from './people.ts'
import { WindowLine } from './reply-window.tsx'
import { lastWroteAt } from './window.ts'
import { inboxWords } from './words.ts'

interface HeadProps {
  conversation: Conversation
  onBack(): void
  areDetailsShown: boolean
  onToggleDetails(): void
}

export function Head({ conversation, onBack, areDetailsShown, onToggleDetails }: HeadProps) {
  const words = useWords(inboxWords)
  const general = useWords(common)
  const actions = useConversationActions()
  const assignHolder = useRef<HTMLDivElement>(null)
  const { status, assignee, assigned_user_id } = conversation
  const name = contactName(conversation)
  // On a phone it is all there is, and its title.
  const Name = useIsPhone() ? 'h1' : 'h2'
  const isOpen = status === 'open'
  const toggleStatus = () => actions.setStatus(conversation, isOpen ? 'closed' : 'open')
  useShortcut('e', words.keys.close, toggleStatus)
  useShortcut('i', words.keys.details, onToggleDetails)
  useShortcut('a', words.keys.assign, () =>
    assignHolder.current?.querySelector<HTMLElement>('[aria-haspopup]')?.click(),
  )
  const assignedName = assignee?.name ?? (assigned_user_id ? words.somebodyElse : words.nobody)
  return (
    <header className="inbox-head inbox-conversation-head">
      <IconButton
        icon="back"
        label={general.back}
        className="inbox-back"
        small={false}
        onClick={onBack}
      />
      <Avatar name={name} />
      <div className="inbox-who">
        <Name className="cut">{name}</Name>
        <Standing conversation={conversation} />
      </div>
      <div className="inbox-head-tools">
        <div className="wide-only" ref={assignHolder}>
          <AssignMenu
            conversation={conversation}
            button={(press) => (
              <button
                type="button"
                className="btn ghost inbox-assignee"
                aria-label={`${words.assignedTo}: ${assignedName}`}
                title={`${words.assignedTo}: ${assignedName}`}
                {...press}
              >
                {assignee ? <Avatar name={assignee.name} size={24} /> : <Icon name="people" />}
                <Icon name="down" size={14} />
              </button>
            )}
          />
        </div>
        <span className="wide-only">
          <Button icon={isOpen ? 'check' : 'again'} onClick={toggleStatus}>
            {isOpen ? words.close : words.reopen}
          </Button>
        </span>
        <More conversation={conversation} onToggleStatus={toggleStatus} />
        <IconButton
          icon="panel"
          label={areDetailsShown ? words.hideDetails : words.showDetails}
          aria-expanded={areDetailsShown}
          aria-controls="inbox-details"
          id="inbox-details-toggle"
          small={false}
          onClick={onToggleDetails}
        />
      </div>
    </header>
  )
}

/** `Open · last wrote yesterday at 14:11`; on a phone what counts most, the window. */
function Standing({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const { status, window_expires_at } = conversation
  const wrote = useLastWrote(window_expires_at)
  return (
    <>
      <p className="xs muted cut wide-only">
        {words.status[status]} · {wrote}
      </p>
      <p className="xs muted cut inbox-narrow-only">
        {status === 'closed' ? words.status.closed : <WindowLine expiresAt={window_expires_at} />}
      </p>
    </>
  )
}

function useLastWrote(expiresAt: string | null): string {
  const words = useWords(inboxWords)
  const format = useFormat()
  const now = useNow()
  const at = lastWroteAt(expiresAt)
  if (!at) return words.neverWrote
  const time = format.time(at)
  const days = Math.round(
    (Date.parse(format.dayOf(now)) - Date.parse(format.dayOf(at))) / (24 * 60 * 60 * 1000),
  )
  if (days <= 0) return words.wroteToday(time)
  return days === 1 ? words.wroteYesterday(time) : words.wroteOn(format.short(at, now), time)
}

function More({
  conversation,
  onToggleStatus,
}: {
  conversation: Conversation
  onToggleStatus(): void
}) {
  const words = useWords(inboxWords)
  const { person, ownTenant } = useSession()
  const { assign } = useConversationActions()
  const { say, complain } = useToasts()
  const copy = (text: string, done: string) =>
    navigator.clipboard.writeText(text).then(() => say(done), complain)
  const { status, assigned_user_id, contact } = conversation
  return (
    <Menu
      label={words.more}
      button={(press) => <IconButton icon="more" label={words.more} small={false} {...press} />}
    >
      {(close) => {
        const item = (icon: Parameters<typeof Icon>[0]['name'], text: string, act: () => void) => (
          <MenuItem
            onClick={() => {
              close()
              act()
            }}
          >
            <Icon name={icon} /> {text}
          </MenuItem>
        )
        return (
          <>
            {item(
              status === 'open' ? 'check' : 'again',
              status === 'open' ? words.close : words.reopen,
              onToggleStatus,
            )}
            {ownTenant &&
              assigned_user_id !== person.id &&
              item('people', words.assignToMe, () => assign(conversation, person))}
            {assigned_user_id !== null &&
              item('x', words.assignToNobody, () => assign(conversation, undefined))}
            <hr />
            {item('link', words.copyLink, () => void copy(location.href, words.linkCopied))}
            {contact.wa_id !== null &&
              item(
                'copy',
                words.copyNumber,
                () => void copy(`+${contact.wa_id}`, words.numberCopied),
              )}
          </>
        )
      }}
    </Menu>
  )
}
