// Inviting somebody: who they are, what they may, and then the link, once.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import type { Role } from '../../api/session.tsx'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Refused } from '../../parts/states.tsx'
import { useTenant, useTenants } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useWords } from '../../words/language.tsx'
import type { People } from './people.ts'
import { RoleChoice, ShownLink } from './person-dialogs.tsx'
import { peopleWords } from './words.ts'

const fields = ['name', 'email', 'tenant_id']

export function Invite({ people, onClose }: { people: People; onClose(): void }) {
  const words = useWords(peopleWords)
  const shared = useWords(common)
  const { id: shownTenant } = useTenant()
  const mayChoose = people.isOperator && shownTenant === null
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('agent')
  const [tenantId, setTenantId] = useState('')
  const inviting = useMutation({
    mutationFn: () => {
      const chosen = mayChoose ? tenantId : (shownTenant ?? '')
      const belongs = people.isOperator && role !== 'operator' && chosen !== ''
      return people.invite({ name, email, role, ...(belongs && { tenant_id: chosen }) })
    },
  })
  const problemAt = (field: string) =>
    inviting.error instanceof ApiProblem ? inviting.error.fieldProblem(field) : undefined
  const isTaken = inviting.error instanceof ApiProblem && inviting.error.code === 'EMAIL_TAKEN'
  if (inviting.data) {
    const { person, link } = inviting.data
    return <ShownLink name={person.name} link={link} onClose={onClose} />
  }
  return (
    <Dialog
      title={words.inviteTitle}
      onClose={onClose}
      onSubmit={() => inviting.isPending || inviting.mutate()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={inviting.isPending}>
            {words.inviteDo}
          </Button>
        </>
      }
    >
      <p className="soft">{words.inviteText}</p>
      <Field label={words.name} problem={problemAt('name') && words.nameMissing}>
        {(tied) => (
          <input
            {...tied}
            className="control"
            name="name"
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field
        label={words.email}
        problem={problemAt('email') && (isTaken ? words.emailTaken : words.emailWrong)}
      >
        {(tied) => (
          <input
            {...tied}
            className="control"
            type="email"
            name="email"
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <RoleChoice
        roles={mayChoose ? ['agent', 'admin', 'operator'] : ['agent', 'admin']}
        role={role}
        onChoose={setRole}
      />
      {mayChoose && role !== 'operator' && (
        <TenantChoice
          chosen={tenantId}
          onChoose={setTenantId}
          problem={problemAt('tenant_id') && words.tenantMissing}
        />
      )}
      <Refused error={inviting.error} fields={fields} />
    </Dialog>
  )
}

function TenantChoice({
  chosen,
  onChoose,
  problem,
}: {
  chosen: string
  onChoose(id: string): void
  problem: string | undefined
}) {
  const words = useWords(peopleWords)
  const { data: tenants = [] } = useTenants()
  return (
    <Field label={words.tenant} problem={problem}>
      {(tied) => (
        <select
          {...tied}
          className="control"
          name="tenant"
          value={chosen}
          onChange={(event) => onChoose(event.target.value)}
        >
          <option value="">{words.chooseTenant}</option>
          {tenants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
