// Making, changing and suspending a tenant.
import { type ReactNode, useState } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import type { Tenant } from '../../api/types.ts'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Refused } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { type TenantWishes, useTenantChange, useTenantCreation } from './tenants.ts'
import { tenantsWords } from './words.ts'

const fields = ['name', 'slug', 'max_concurrency', 'max_queued']
const most = { max_concurrency: 1000, max_queued: 1_000_000 }

interface Draft {
  name: string
  slug: string
  max_concurrency: string
  max_queued: string
  retry_policy: '' | 'standard' | 'patient'
}

/** A field that was left empty leaves it to the gateway. What is no number goes as it is: the API says what is wrong. */
const numberIn = (text: string) => (text.trim() === '' ? null : Number(text))

export function CreateTenant({ onClose }: { onClose(): void }) {
  const words = useWords(tenantsWords)
  const { go } = usePlace()
  const creating = useTenantCreation()
  return (
    <TenantForm
      title={words.createTitle}
      doIt={words.createDo}
      hasSlug
      error={creating.error}
      isBusy={creating.isPending}
      onClose={onClose}
      onSave={(wishes) => creating.mutate(wishes, { onSuccess: ({ id }) => go(`/tenants/${id}`) })}
    />
  )
}

export function ChangeTenant({ tenant, onClose }: { tenant: Tenant; onClose(): void }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const changing = useTenantChange(tenant.id)
  return (
    <TenantForm
      title={words.changeTitle(tenant.name)}
      doIt={shared.save}
      tenant={tenant}
      error={changing.error}
      isBusy={changing.isPending}
      onClose={onClose}
      onSave={(wishes) => changing.mutate(wishes, { onSuccess: onClose })}
    />
  )
}

interface TenantFormProps {
  title: string
  doIt: string
  tenant?: Tenant
  hasSlug?: boolean
  error: unknown
  isBusy: boolean
  onClose(): void
  onSave(wishes: TenantWishes): void
}

function TenantForm({ title, doIt, tenant, hasSlug, error, isBusy, ...on }: TenantFormProps) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const format = useFormat()
  const [draft, setDraft] = useState<Draft>({
    name: tenant?.name ?? '',
    slug: '',
    max_concurrency: tenant?.max_concurrency?.toString() ?? '',
    max_queued: tenant?.max_queued?.toString() ?? '',
    retry_policy: tenant?.retry_policy ?? '',
  })
  const has = (field: string) =>
    error instanceof ApiProblem && error.fieldProblem(field) !== undefined
  const isTaken = error instanceof ApiProblem && error.code === 'SLUG_TAKEN'
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const save = () =>
    on.onSave({
      name: draft.name,
      ...(draft.slug.trim() !== '' && { slug: draft.slug.trim() }),
      max_concurrency: numberIn(draft.max_concurrency),
      max_queued: numberIn(draft.max_queued),
      retry_policy: draft.retry_policy || null,
    })
  return (
    <Dialog
      title={title}
      onClose={on.onClose}
      onSubmit={() => isBusy || save()}
      foot={
        <>
          <Button onClick={on.onClose}>{shared.cancel}</Button>
          <Button look="primary" type="submit" busy={isBusy}>
            {doIt}
          </Button>
        </>
      }
    >
      <TextField
        name="name"
        label={words.name}
        problem={has('name') ? words.nameWrong : undefined}
        value={draft.name}
        onType={(name) => set({ name })}
      />
      {hasSlug && (
        <TextField
          name="slug"
          label={words.slug}
          hint={words.slugHint}
          problem={has('slug') ? (isTaken ? words.slugTaken : words.slugWrong) : undefined}
          value={draft.slug}
          onType={(slug) => set({ slug })}
        />
      )}
      <fieldset className="form">
        <legend className="tenants-legend">
          <b className="strong">{words.limits}</b>{' '}
          <span className="xs muted">{words.emptyIsGateway}</span>
        </legend>
        {(['max_concurrency', 'max_queued'] as const).map((field) => (
          <TextField
            key={field}
            name={field}
            isNumber
            label={field === 'max_queued' ? words.queued : words.concurrency}
            problem={has(field) ? words.numberWrong(format.number(most[field])) : undefined}
            value={draft[field]}
            onType={(text) => set({ [field]: text })}
          />
        ))}
        <Field label={words.retries}>
          {(tied) => (
            <select
              {...tied}
              className="control"
              name="retry_policy"
              value={draft.retry_policy}
              onChange={(event) =>
                set({ retry_policy: event.target.value as Draft['retry_policy'] })
              }
            >
              <option value="">{words.asGateway}</option>
              <option value="standard">{words.policies.standard}</option>
              <option value="patient">{words.policies.patient}</option>
            </select>
          )}
        </Field>
      </fieldset>
      <Refused error={error} fields={fields} />
    </Dialog>
  )
}

interface TextFieldProps {
  name: string
  label: ReactNode
  hint?: ReactNode
  problem?: string | undefined
  isNumber?: boolean
  value: string
  onType(text: string): void
}

export function TextField({ name, isNumber, value, onType, ...field }: TextFieldProps) {
  return (
    <Field {...field}>
      {(tied) => (
        <input
          {...tied}
          className="control"
          name={name}
          inputMode={isNumber ? 'numeric' : undefined}
          autoComplete="off"
          value={value}
          onChange={(event) => onType(event.target.value)}
        />
      )}
    </Field>
  )
}

export function Suspend({ tenant, onClose }: { tenant: Tenant; onClose(): void }) {
  const words = useWords(tenantsWords)
  const shared = useWords(common)
  const [reason, setReason] = useState('')
  const suspending = useTenantChange(tenant.id)
  const suspend = () =>
    suspending.mutate(
      { status: 'suspended', ...(reason.trim() !== '' && { reason: reason.trim() }) },
      { onSuccess: onClose },
    )
  return (
    <Dialog
      title={words.suspendTitle(tenant.name)}
      onClose={onClose}
      onSubmit={() => suspending.isPending || suspend()}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="danger" type="submit" busy={suspending.isPending}>
            {words.suspendDo}
          </Button>
        </>
      }
    >
      <ul className="tenants-effects">
        {Object.values(words.suspendText).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <TextField name="reason" label={words.reason} value={reason} onType={setReason} />
      <Refused error={suspending.error} />
    </Dialog>
  )
}
