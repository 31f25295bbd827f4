// What is asked for: by what, who, whom and when. All of it is in the address.
import { useState } from 'react'
import { Field } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { useIsNarrow } from '../../parts/narrow.ts'
import { type Search, usePlace } from '../../shell/place.tsx'
import { useWords } from '../../words/language.tsx'
import { actionWords, type KnownAction } from './actions.ts'
import type { Wishes } from './audit.ts'
import { TypedField } from './typed-field.tsx'
import { auditWords } from './words.ts'

export const noWishes = {
  action: undefined,
  actor: undefined,
  subject: undefined,
  from: undefined,
  to: undefined,
}

export function wishesIn({ action, actor, subject, from, to }: Search): Wishes {
  return { action, actor, subject, from, to }
}

export function AuditFilters() {
  const words = useWords(auditWords)
  const { search, ask } = usePlace()
  const isAsked = Object.values(wishesIn(search)).some((wish) => wish !== undefined)
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(isAsked)
  if (isNarrow && !isOpen) {
    return (
      <div className="audit-filters">
        <Button icon="filter" aria-expanded={false} onClick={() => setOpen(true)}>
          {words.filter}
        </Button>
      </div>
    )
  }
  const day = (name: 'from' | 'to') => (
    <Field label={words[name]}>
      {(tied) => (
        <input
          {...tied}
          className="control"
          type="date"
          name={name}
          value={search[name] ?? ''}
          onChange={(event) => ask({ [name]: event.target.value || undefined })}
        />
      )}
    </Field>
  )
  return (
    <div className="audit-filters">
      <ActionChoice chosen={search.action} onChoose={(action) => ask({ action })} />
      <TypedField
        label={words.actor}
        name="actor"
        value={search.actor}
        onGiven={(actor) => ask({ actor })}
      />
      <TypedField
        label={words.subject}
        name="subject"
        value={search.subject}
        onGiven={(subject) => ask({ subject })}
      />
      {day('from')}
      {day('to')}
      {isAsked && (
        <Button look="ghost" icon="x" onClick={() => ask(noWishes)}>
          {words.clear}
        </Button>
      )}
    </div>
  )
}

/** `person.` means everything about people. */
function ActionChoice({
  chosen,
  onChoose,
}: {
  chosen: string | undefined
  onChoose(action: string | undefined): void
}) {
  const words = useWords(auditWords)
  const actions = useWords(actionWords)
  const kinds = Object.entries(words.kinds).toSorted(([, one], [, other]) =>
    one.localeCompare(other),
  )
  const isKnown = chosen === undefined || chosen.endsWith('.') || chosen in actions
  return (
    <Field label={words.action}>
      {(tied) => (
        <select
          {...tied}
          className="control"
          name="action"
          value={chosen ?? ''}
          onChange={(event) => onChoose(event.target.value || undefined)}
        >
          <option value="">{words.anything}</option>
          {!isKnown && <option value={chosen}>{chosen}</option>}
          {kinds.map(([kind, name]) => (
            <optgroup key={kind} label={name}>
              <option value={`${kind}.`}>{words.allOf(name)}</option>
              {actionsOf(kind, actions).map((action) => (
                <option key={action} value={action}>
                  {actions[action]}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      )}
    </Field>
  )
}

const actionsOf = (kind: string, actions: Record<KnownAction, string>) =>
  (Object.keys(actions) as KnownAction[]).filter((action) => action.startsWith(`${kind}.`))
