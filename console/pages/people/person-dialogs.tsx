// What is asked before something is done about a person, and the link that is shown once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { type Role, useSession } from '../../api/session.tsx'
import type { ListedPerson, PersonLink } from '../../api/types.ts'
import { Field, Segments } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Refused } from '../../parts/states.tsx'
import { shellWords } from '../../shell/words.ts'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import type { People } from './people.ts'
import { peopleWords } from './words.ts'

interface AboutPerson {
  person: ListedPerson
  people: People
  onClose(): void
}

export function RoleChoice({
  roles: possible,
  role,
  onChoose,
}: {
  roles: Role[]
  role: Role
  onChoose(role: Role): void
}) {
  const words = useWords(peopleWords)
  const { roles } = useWords(shellWords)
  return (
    <div>
      <span className="label">{words.role}</span>
      <Segments
        label={words.role}
        choices={possible.map((value) => ({ value, label: roles[value] }))}
        chosen={role}
        onChoose={onChoose}
      />
      <div className="hint">{words.roleHints[role]}</div>
    </div>
  )
}

export function ShownLink({
  name,
  link,
  onClose,
}: {
  name: string
  link: PersonLink
  onClose(): void
}) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const format = useFormat()
  return (
    <Dialog
      title={words.linkTitle(name)}
      onClose={onClose}
      foot={
        <Button look="primary" onClick={onClose}>
          {shared.done}
        </Button>
      }
    >
      <p className="soft">{words.linkText}</p>
      <Secret text={link.url} />
      <p className="xs muted">{words.linkUntil(format.exact(link.expires_at))}</p>
    </Dialog>
  )
}

export function NewLink({ person, people, onClose }: AboutPerson) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const making = useMutation({ mutationFn: () => people.makeLink(person.id) })
  if (making.data) return <ShownLink name={person.name} link={making.data} onClose={onClose} />
  return (
    <Dialog
      title={words.newLinkTitle(person.name)}
      onClose={onClose}
      onSubmit={() => making.isPending || making.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={making.isPending}>
            {words.inviteDo}
          </Button>
        </>
      }
    >
      <p>{person.status === 'invited' ? words.newLinkInvited : words.newLinkActive}</p>
      <Refused error={making.error} />
    </Dialog>
  )
}

export function ChangePerson({ person, people, onClose }: AboutPerson) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const { person: me } = useSession()
  const [name, setName] = useState(person.name)
  const [role, setRole] = useState(person.role)
  const changing = useMutation({
    mutationFn: () => people.change(person.id, { name, ...(role !== person.role && { role }) }),
    onSuccess: onClose,
  })
  const nameProblem =
    changing.error instanceof ApiProblem && changing.error.fieldProblem('name') !== undefined
  return (
    <Dialog
      title={words.changeTitle(person.name)}
      onClose={onClose}
      onSubmit={() => changing.isPending || changing.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={changing.isPending}>
            {shared.save}
          </Button>
        </>
      }
    >
      <Field label={words.name} problem={nameProblem ? words.nameMissing : undefined}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      {person.role !== 'operator' &&
        (person.id === me.id ? (
          <p className="xs muted">{words.ownRole}</p>
        ) : (
          <>
            <RoleChoice roles={['agent', 'admin']} role={role} onChoose={setRole} />
            {role !== person.role && <p className="xs muted">{words.roleEnds}</p>}
          </>
        ))}
      <Refused error={changing.error} fields={['name']} />
    </Dialog>
  )
}

export function ShutOut({ person, people, onClose }: AboutPerson) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const shutting = useMutation({
    mutationFn: () => people.change(person.id, { status: 'disabled' }),
    onSuccess: onClose,
  })
  return (
    <Dialog
      title={words.shutOutTitle(person.name)}
      onClose={onClose}
      onSubmit={() => shutting.isPending || shutting.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="danger" type="submit" busy={shutting.isPending}>
            {words.shutOutDo}
          </Button>
        </>
      }
    >
      <p>{words.shutOutText}</p>
      <Refused error={shutting.error} />
    </Dialog>
  )
}
