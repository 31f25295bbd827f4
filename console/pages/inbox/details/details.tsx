// What is known about a conversation and its contact, and what became of the selected message.
import type { Conversation } from '../../../api/types.ts'
import { Avatar } from '../../../parts/basics.tsx'
import { IconButton } from '../../../parts/button.tsx'
import { CopyButton } from '../../../parts/copy.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { useNow } from '../../../parts/time.tsx'
import { useFormat, useWords } from '../../../words/language.tsx'
import { AssignMenu } from '../assign-menu.tsx'
import { contactName, useNumbers } from '../people.ts'
import { phoneText } from '../phone.ts'
import { WindowRing } from '../reply-window.tsx'
import { windowOf } from '../window.ts'
import { inboxWords } from '../words.ts'
import { OptOuts } from './opt-outs.tsx'
import { SelectedMessage } from './selected-message.tsx'
import './details.css'

export interface DetailsProps {
  conversation: Conversation
  selectedId: string | undefined
  /** Given where it lies over the conversation. */
  onClose?: (() => void) | undefined
}

export function Details({ conversation, selectedId, onClose }: DetailsProps) {
  const words = useWords(inboxWords)
  return (
    <>
      {onClose && (
        <div className="inbox-head">
          <h2>{words.details}</h2>
          <span className="push">
            <IconButton icon="x" label={words.hideDetails} small={false} onClick={onClose} />
          </span>
        </div>
      )}
      <div className="inbox-details-body">
        <Contact conversation={conversation} />
        <Window conversation={conversation} />
        <Assigned conversation={conversation} />
        <OptOuts conversation={conversation} />
        <SelectedMessage id={selectedId} />
      </div>
    </>
  )
}

function Contact({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const { data: numbers = [] } = useNumbers()
  const { contact, phone_number_id } = conversation
  const name = contactName(conversation)
  const number = contact.wa_id === null ? undefined : phoneText(contact.wa_id)
  const ours = numbers.find((one) => one.phone_number_id === phone_number_id)
  return (
    <section className="inbox-section">
      <div className="inbox-contact">
        <Avatar name={name} size={40} />
        <div className="inbox-who">
          <h2>{name}</h2>
          {contact.kind === 'group' ? (
            <p className="muted">{words.group}</p>
          ) : (
            number !== undefined &&
            number !== name && (
              <p className="row muted num">
                {number} <CopyButton text={`+${contact.wa_id}`} />
              </p>
            )
          )}
        </div>
      </div>
      <dl className="facts inbox-facts">
        {contact.username !== null && (
          <>
            <dt>{words.username}</dt>
            <dd>@{contact.username}</dd>
          </>
        )}
        {contact.wa_id === null && contact.user_id !== null && (
          <>
            <dt>{words.contactId}</dt>
            <dd>{contact.user_id}</dd>
          </>
        )}
        <dt>{words.wroteTo}</dt>
        <dd className="num">{ours?.display_phone_number ?? phone_number_id}</dd>
      </dl>
    </section>
  )
}

function Window({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const format = useFormat()
  const now = useNow()
  const { window_expires_at: expiresAt, contact } = conversation
  const left = windowOf(expiresAt, now)
  const opens =
    contact.kind === 'group' ? words.opensGroup : words.opens(firstName(contactName(conversation)))
  const when = (at: string) => {
    const time = format.time(at)
    return format.dayOf(at) === format.dayOf(now) ? words.todayAt(time) : words.tomorrowAt(time)
  }
  return (
    <section className="inbox-section">
      <h3>{words.replyWindow}</h3>
      <div className="inbox-window-facts">
        <WindowRing
          share={left.kind === 'open' ? left.share : 0}
          isSoonOver={left.kind === 'open' && left.isSoonOver}
        />
        <div>
          {left.kind === 'open' && expiresAt !== null ? (
            <>
              <b className={`strong ${left.isSoonOver ? 'warn' : ''}`}>
                {words.closesIn(format.length(left.leftMs))}
              </b>
              <p className="xs muted" title={format.exact(expiresAt)}>
                {words.thenTemplates(when(expiresAt))}
              </p>
            </>
          ) : (
            <>
              <b className="strong">
                {left.kind === 'closed'
                  ? words.closedFor(format.length(now - left.closedAt.getTime()))
                  : words.neverOpened}
              </b>
              <p className="xs muted">{opens}</p>
            </>
          )}
        </div>
      </div>
    </section>
  )
}

const firstName = (name: string) => (/^[+@]/.test(name) ? name : (name.split(' ')[0] ?? name))

function Assigned({ conversation }: { conversation: Conversation }) {
  const words = useWords(inboxWords)
  const { assignee, assigned_user_id } = conversation
  const name = assignee?.name ?? (assigned_user_id ? words.somebodyElse : words.nobody)
  return (
    <section className="inbox-section inbox-assigned">
      <h3 id="inbox-assigned-to">{words.assignedTo}</h3>
      <AssignMenu
        conversation={conversation}
        button={(press) => (
          <button
            type="button"
            className="control"
            aria-labelledby="inbox-assigned-to inbox-assigned-name"
            {...press}
          >
            {assignee && <Avatar name={assignee.name} size={20} />}
            <span className={`cut ${assignee ? '' : 'muted'}`} id="inbox-assigned-name">
              {name}
            </span>
            <span className="push">
              <Icon name="down" />
            </span>
          </button>
        )}
      />
    </section>
  )
}
