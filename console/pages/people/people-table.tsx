// One row for each person, with what can be done about them.
import { useState } from 'react'
import { useSession } from '../../api/session.tsx'
import type { ListedPerson } from '../../api/types.ts'
import { Avatar, Badge, State } from '../../parts/basics.tsx'
import { IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu, MenuItem } from '../../parts/menu.tsx'
import { Time } from '../../parts/time.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { shellWords } from '../../shell/words.ts'
import { useWords } from '../../words/language.tsx'
import type { People } from './people.ts'
import { ChangePerson, NewLink, ShutOut } from './person-dialogs.tsx'
import { peopleWords } from './words.ts'

const tones = { invited: 'plain', active: 'ok', disabled: 'bad' } as const

type Dialog = 'change' | 'link' | 'shut-out'

export function PeopleTable({ people, shown }: { people: People; shown: ListedPerson[] }) {
  const words = useWords(peopleWords)
  const { id: tenantId } = useTenant()
  const [asked, setAsked] = useState<{ dialog: Dialog; person: ListedPerson }>()
  const ofAll = people.isOperator && tenantId === null
  const close = () => setAsked(undefined)
  return (
    <>
      <table className="table people-table">
        <thead>
          <tr>
            <th>{words.columns.name}</th>
            <th className="wide-only">{words.columns.role}</th>
            {ofAll && <th className="wide-only">{words.columns.tenant}</th>}
            <th>{words.columns.state}</th>
            <th className="wide-only">{words.columns.seen}</th>
            <th>
              <span className="sr">{words.columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((person) => (
            <PersonRow
              key={person.id}
              person={person}
              people={people}
              ofAll={ofAll}
              onAsk={(dialog) => setAsked({ dialog, person })}
            />
          ))}
        </tbody>
      </table>
      {asked?.dialog === 'change' && <ChangePerson {...asked} people={people} onClose={close} />}
      {asked?.dialog === 'link' && <NewLink {...asked} people={people} onClose={close} />}
      {asked?.dialog === 'shut-out' && <ShutOut {...asked} people={people} onClose={close} />}
    </>
  )
}

interface PersonRowProps {
  person: ListedPerson
  people: People
  ofAll: boolean
  onAsk(dialog: Dialog): void
}

function PersonRow({ person, people, ofAll, onAsk }: PersonRowProps) {
  const words = useWords(peopleWords)
  const { roles } = useWords(shellWords)
  const { data: tenants } = useTenants()
  const { person: me } = useSession()
  const role = roles[person.role]
  const tenant = tenants?.find(({ id }) => id === person.tenant_id)?.name ?? '—'
  return (
    <tr>
      <td>
        <div className="people-who">
          <Avatar name={person.name} />
          <div className="people-names">
            <span className="row">
              <b className="strong cut">{person.name}</b>
              {person.id === me.id && <Badge tone="accent">{words.you}</Badge>}
            </span>
            <span className="xs muted cut">{person.email}</span>
            <span className="xs muted cut narrow-only">
              {role}
              {ofAll && person.tenant_id !== null && ` · ${tenant}`}
            </span>
          </div>
        </div>
      </td>
      <td className="wide-only">{role}</td>
      {ofAll && <td className="wide-only soft">{tenant}</td>}
      <td>
        <State tone={tones[person.status]}>{words.states[person.status]}</State>
      </td>
      <td className="wide-only muted">
        {person.last_seen_at ? (
          <Time at={person.last_seen_at} />
        ) : person.status === 'invited' ? (
          words.never
        ) : (
          words.notLately
        )}
      </td>
      <td className="people-act">
        <PersonActions person={person} people={people} isOwn={person.id === me.id} onAsk={onAsk} />
      </td>
    </tr>
  )
}

interface PersonActionsProps extends Omit<PersonRowProps, 'ofAll'> {
  isOwn: boolean
}

/** Nobody shuts themselves out, or makes themselves somebody else. */
function PersonActions({ person, people, isOwn, onAsk }: PersonActionsProps) {
  const words = useWords(peopleWords)
  const { say, complain } = useToasts()
  const isOut = person.status === 'disabled'
  return (
    <Menu
      label={words.actions(person.name)}
      button={(press) => <IconButton icon="more" label={words.actions(person.name)} {...press} />}
    >
      {(close) => {
        const asking = (dialog: Dialog) => () => {
          close()
          onAsk(dialog)
        }
        const doing = (act: () => Promise<unknown>, done: string) => () => {
          close()
          act().then(() => say(done), complain)
        }
        return (
          <>
            <MenuItem onClick={asking('change')}>
              <Icon name="edit" /> {words.change}
            </MenuItem>
            {!isOut && !isOwn && (
              <MenuItem onClick={asking('link')}>
                <Icon name="link" /> {words.newLink}
              </MenuItem>
            )}
            {!isOwn && person.status === 'active' && (
              <MenuItem
                onClick={doing(() => people.signOut(person.id), words.signedOut(person.name))}
              >
                <Icon name="leave" /> {words.signOut}
              </MenuItem>
            )}
            {!isOwn && !isOut && (
              <MenuItem className="danger" onClick={asking('shut-out')}>
                <Icon name="lock" /> {words.shutOut}
              </MenuItem>
            )}
            {isOut && (
              <MenuItem
                onClick={doing(
                  () => people.change(person.id, { status: 'active' }),
                  words.letInDone(person.name),
                )}
              >
                <Icon name="check" /> {words.letIn}
              </MenuItem>
            )}
          </>
        )
      }}
    </Menu>
  )
}
